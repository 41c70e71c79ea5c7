"""The papers' table of leakage rates: percent, test against train, mean and standard deviation over four seeds.

Mean and sd are those of the latest revision; (b) and (e) were not run on ZuCo, whose three tasks cannot
be cut 8:1:1 and whose samples are single sentences.
"""

from __future__ import annotations

PUBLISHED: dict[tuple[str, str, str], tuple[float, float]] = {
    ("BSLR", "a", "narratives"): (0.0, 0.0), ("BSLR", "b", "narratives"): (9.67, 4.80),
    ("BSLR", "c", "narratives"): (12.50, 0.04), ("BSLR", "d", "narratives"): (12.80, 0.01),
    ("BSLR", "e", "narratives"): (12.27, 0.01), ("BSLR", "f", "narratives"): (0.0, 0.0),
    ("BSLR", "a", "zuco"): (0.0, 0.0), ("BSLR", "c", "zuco"): (12.50, 0.03),
    ("BSLR", "d", "zuco"): (12.59, 0.02), ("BSLR", "f", "zuco"): (0.0, 0.0),
    ("TSLR", "a", "narratives"): (100.0, 0.0), ("TSLR", "b", "narratives"): (0.0, 0.0),
    ("TSLR", "c", "narratives"): (100.0, 0.0), ("TSLR", "d", "narratives"): (99.82, 0.17),
    ("TSLR", "e", "narratives"): (9.29, 0.06), ("TSLR", "f", "narratives"): (0.0, 0.0),
    ("TSLR", "a", "zuco"): (22.50, 1.31), ("TSLR", "c", "zuco"): (13.07, 0.11),
    ("TSLR", "d", "zuco"): (12.88, 0.04), ("TSLR", "f", "zuco"): (0.0, 0.0),
}
