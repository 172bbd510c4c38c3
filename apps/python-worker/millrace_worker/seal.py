"""Confines a process before it compiles an author's code."""

from __future__ import annotations


def apply(options: dict) -> dict:
    """Applies the layers of the seal; returns the level and what holds of each layer."""
    del options
    return {"level": "open", "layers": {}}
