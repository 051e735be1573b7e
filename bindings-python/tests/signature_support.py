"""Functions as tools are read by the tests in this way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from jsonschema import Draft202012Validator
from pydantic import BaseModel

from mcplite import _signature
from mcplite._signature import Signature

if TYPE_CHECKING:
    pass


class Context:
    pass


class Special(Context):
    pass


class Image:
    __mcp_content__ = True


@dataclass
class Point:
    x: int
    note: str | None = None


@dataclass
class Node:
    next: Node | None = None


class Movie(TypedDict, total=False):
    name: str
    year: int | None


class Pair(NamedTuple):
    a: int
    b: int = 0


class Model(BaseModel):
    size: int | None


def read(function: Callable[..., Any], *, output: bool = True) -> Signature:
    signature = _signature.inspect_function(function, Context, output=output)
    Draft202012Validator.check_schema(signature.input_schema)
    if signature.output_schema is not None:
        Draft202012Validator.check_schema(signature.output_schema)
        assert signature.output_schema["type"] == "object"
    return signature
