"""A student as plain arrays, and the ONNX graph of its search: NumPy and onnx, no PyTorch."""
