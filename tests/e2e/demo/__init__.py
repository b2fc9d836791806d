"""The demo page, in real browsers."""
