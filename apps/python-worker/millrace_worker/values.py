"""Values as JSON and back.

An object with one key that begins with ``$`` is a tagged value: ``$message``, ``$data``, ``$table``, a live object, or
``$dict`` for a dict whose own keys would look like a tag. All other JSON is itself: integers and floats differ by their
notation (``2`` and ``2.0``).
"""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Mapping
from typing import Any

import numpy
import pandas
from lfx.schema.data import Data
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message
from pydantic import BaseModel, SecretStr

from millrace_worker import bridges
from millrace_worker.messages import decode_message, encode_message
from millrace_worker.references import References

MAXIMUM_DEPTH = 200


class Values:
    def __init__(self, host, references: References) -> None:
        self._host = host
        self._references = references

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Raises ValueError for values that are nested too deeply."""
        if value is None or isinstance(value, bool):
            return value
        kind = type(value)
        if kind is str or kind is int or kind is float:
            return value
        if depth > MAXIMUM_DEPTH:
            msg = f"A value is nested more than {MAXIMUM_DEPTH} levels deep, or contains itself."
            raise ValueError(msg)
        if isinstance(value, Message):
            return {
                "$message": encode_message(value, lambda item: self.encode(item, depth + 1), self._references.add)
            }
        if isinstance(value, Data):
            return {
                "$data": {
                    "data": self._object(value.data, depth),
                    "text_key": value.text_key,
                    "default": value.default_value,
                }
            }
        if isinstance(value, pandas.DataFrame):
            return {"$table": self._table(value, depth)}
        if kind is dict or isinstance(value, Mapping):
            return self._object(value, depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.encode(item, depth + 1) for item in value]
        scalar = _scalar(value)
        if scalar is not None:
            return scalar if isinstance(scalar, (str, int, float)) else self.encode(scalar, depth + 1)
        if value is pandas.NaT or value is pandas.NA:
            return None
        if isinstance(value, BaseModel) and kind.__module__.startswith("lfx.schema."):
            return self.encode(_plain(value), depth + 1)
        return bridges.describe(value, self._references.add)

    def decode(self, value: Any) -> Any:
        kind = type(value)
        if kind is list:
            return [self.decode(item) for item in value]
        if kind is not dict:
            return value
        if len(value) == 1:
            tag, content = next(iter(value.items()))
            if tag[:1] == "$":
                return self._tagged(tag, content)
        return {key: self.decode(item) for key, item in value.items()}

    def _object(self, value: Mapping, depth: int) -> dict:
        encoded = {str(key): self.encode(item, depth + 1) for key, item in value.items()}
        return {"$dict": encoded} if len(encoded) == 1 and next(iter(encoded))[:1] == "$" else encoded

    def _table(self, table: pandas.DataFrame, depth: int) -> dict:
        return {
            "columns": [str(column) for column in table.columns],
            "rows": len(table),
            "cells": [self._column(table.iloc[:, index], depth) for index in range(table.shape[1])],
        }

    def _column(self, column: pandas.Series, depth: int) -> list:
        cells = column.tolist()
        if column.dtype.kind in "ifb":
            return cells
        return [self.encode(cell, depth + 1) for cell in cells]

    def _tagged(self, tag: str, content: Any) -> Any:
        if tag == "$message":
            return decode_message(content, self.decode)
        if tag == "$data":
            return Data(
                data={key: self.decode(item) for key, item in content["data"].items()},
                text_key=content["text_key"],
                default_value=content["default"],
            )
        if tag == "$table":
            cells = [[self.decode(cell) for cell in column] for column in content["cells"]]
            columns = dict(zip(content["columns"], cells, strict=True))
            # Without columns, only the index has the number of rows.
            return DataFrame(columns) if columns else DataFrame(index=range(content["rows"]))
        if tag == "$dict":
            return {key: self.decode(item) for key, item in content.items()}
        if tag == "$ref":
            return self._references.get(content)
        return bridges.build(tag, content, self._host, self)


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _scalar(value: Any) -> Any:
    """Returns the plain value of a scalar or of a list of scalars in another class; None for any other object."""
    if isinstance(value, enum.Enum):
        return value.value if value.value is not None else value.name
    for plain in (str, int, float):
        if isinstance(value, plain):
            return plain(value)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, (uuid.UUID, decimal.Decimal, datetime.timedelta, pathlib.PurePath, BaseException)):
        return str(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat() if value is not pandas.NaT else None
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", errors="replace")
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (numpy.ndarray, pandas.Series, pandas.Index)):
        return value.tolist()
    return None
