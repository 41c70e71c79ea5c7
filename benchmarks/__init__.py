"""Side-by-side measurements against named peers, as ratios, in one run."""
