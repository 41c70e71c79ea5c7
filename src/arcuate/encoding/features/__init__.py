"""Language features: one file a kind."""
