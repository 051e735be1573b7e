"""Callables of all sorts: what was written under methods, partials and wrappers."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Sample:
    def method(self) -> None: ...


FUNCTION: Any = type(_Sample.method)
METHOD: Any = type(_Sample().method)
_COROUTINE, _ITERABLE_COROUTINE = 0x80, 0x100


def innermost(function: Any) -> Any:
    """The function that was written: under methods, partials, wrappers and callable objects."""
    while True:
        if type(function) is FUNCTION:
            if "__wrapped__" not in function.__dict__:
                return function
            function = function.__wrapped__
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif is_partial(function):
            function = function.func
        elif isinstance(function, type):
            made: Any = vars(function).get("__init__")
            if type(made) is not FUNCTION:
                return function
            function = made
        elif is_object(function):
            function = type(function).__call__
        else:
            return function


def is_async(function: Any) -> bool:
    """Whether a call gives something to await: a coroutine function at any layer says yes."""
    while True:
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & (_COROUTINE | _ITERABLE_COROUTINE):
            return True
        if hasattr(function, "_is_coroutine_mark"):
            return True
        if is_partial(function):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif is_object(function):
            function = type(function).__call__
        else:
            return False


def is_partial(function: Any) -> bool:
    """Whether this is a functools.partial, without importing functools."""
    return hasattr(function, "func") and hasattr(function, "keywords")


def is_object(function: Any) -> bool:
    """Whether this is an object of a class with `__call__` written in Python."""
    if isinstance(function, type) or type(function) is FUNCTION:
        return False
    return any("__call__" in vars(base) for base in type(function).__mro__) and (
        type(type(function).__call__) is FUNCTION
    )


def name_of(function: Any, inner: Any) -> str:
    """The name that people know a callable by."""
    name = getattr(function, "__name__", None)
    if name is None and is_partial(function):
        name = getattr(inner, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def annotations_of(function: Any) -> dict[str, Any]:
    """The annotations as they are; as strings if one has a name that is not defined yet."""
    try:
        return getattr(function, "__annotations__", {})
    except NameError:
        if sys.version_info >= (3, 14):
            from annotationlib import Format, get_annotations

            return get_annotations(function, format=Format.STRING)
        raise


def closure(function: Any) -> dict[str, Any]:
    """The variables that a function has from around it, and its type parameters."""
    known = {}
    for variable in getattr(function, "__type_params__", ()):
        known[variable.__name__] = variable
    cells = getattr(function, "__closure__", None)
    if cells:
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                known[name] = cell.cell_contents
            except ValueError:
                continue
    return known
