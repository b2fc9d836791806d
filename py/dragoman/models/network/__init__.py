"""The student, part by part."""
