"""Links between words: the head that learns them, and how wrong it is."""
