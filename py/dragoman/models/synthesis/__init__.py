"""Pairs that a model makes one side of: back- and forward translation, distillation."""
