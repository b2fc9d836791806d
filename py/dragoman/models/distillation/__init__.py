"""A student taught by a larger model, in windows of time: teacher, its translations, student."""
