"""Put this into your own tests: the build fails when the split leaks, and says who is on both sides."""

import arcuate as arc


def test_the_split_does_not_leak():
    arc.audit("data/samples.parquet", "data/split.csv").raise_on_leak()
