"""What engines are compared with: the same arithmetic, written plainly."""
