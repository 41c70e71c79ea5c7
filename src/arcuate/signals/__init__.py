"""Brain signals on disk: the store, its windows, and statistics fitted on training frames only."""
