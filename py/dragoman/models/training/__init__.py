"""Training runs: settings, updates, checkpoints, what they tell."""
