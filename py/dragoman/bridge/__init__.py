"""The browser's door: JSON in, JSON out."""

from dragoman.bridge.session import Session, describe_published, open_session

__all__ = ["Session", "describe_published", "open_session"]
