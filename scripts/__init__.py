"""What makes, checks and collects what is published; nothing of it is installed."""
