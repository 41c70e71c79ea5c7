"""ZuCo 1.0 and 2.0: EEG and eye tracking of people who read English sentences."""
