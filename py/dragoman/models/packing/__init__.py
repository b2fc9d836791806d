"""A pair's prepared data in one small file, and files in parts: what goes to another machine."""
