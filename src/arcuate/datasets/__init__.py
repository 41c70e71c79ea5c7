"""Public datasets and your own: what each is, where it comes from, and how its files are read."""
