"""The parts of the simulator: text from a grammar, who heard what, and what the brain does with it."""
