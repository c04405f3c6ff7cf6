"""The version of tadc."""

__version__ = "0.1.0"
