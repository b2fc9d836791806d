"""The browser's door: JSON in, JSON out."""

from dragoman.bridge.session import Session, describe_published, open_session
from dragoman.wire.responses import error_data

__all__ = ["Session", "describe_published", "error_data", "open_session"]
