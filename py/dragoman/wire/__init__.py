"""Plain data at the doors: requests that are read, responses that are written, UTF-16."""
