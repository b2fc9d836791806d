"""From a request to a response: segments, hypotheses, and what is assembled of them."""
