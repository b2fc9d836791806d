"""What makes the server one that LibreTranslate's clients can talk to."""
