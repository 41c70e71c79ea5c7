"""Pure functions of arrays and strings: every score, its uncertainty and its signature."""
