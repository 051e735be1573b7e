"""Functions as tools: parameters, context, and mistakes with file and line."""

from __future__ import annotations

import asyncio
import datetime as dt
import functools
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from mcplite._signature import SignatureError

if TYPE_CHECKING:
    import types as elsewhere
    from decimal import Decimal as Unknown
from signature_support import Context, Node, Point, Special, read


def test_a_plain_function_is_read_whole() -> None:
    def add(a: int, b: int = 2) -> int:
        """Adds two numbers.

        Args:
            a: the first
        """
        return a + b

    signature = read(add)
    assert signature.name == "add"
    assert signature.description == "Adds two numbers."
    assert signature.input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "the first"},
            "b": {"type": "integer", "default": 2},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    assert signature.output_schema == {
        "type": "object",
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
    }
    assert signature.wrap
    assert signature.converters == {}
    assert signature.defaults == {}
    assert signature.positional is None
    assert signature.context is None
    assert not signature.is_async
    first, second = signature.parameters
    assert (first.name, first.required, first.description) == ("a", True, "the first")
    assert (second.name, second.required, second.default) == ("b", False, 2)


def test_a_function_without_anything_takes_an_empty_object() -> None:
    def nothing():  # type: ignore[no-untyped-def]
        pass

    signature = read(nothing)
    assert signature.input_schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert signature.description is None
    assert signature.output_schema is None


def test_a_parameter_without_a_hint_takes_anything() -> None:
    def tool(a, *, b=None):  # type: ignore[no-untyped-def]
        pass

    signature = read(tool)
    assert signature.input_schema["properties"] == {"a": {}, "b": {}}
    assert signature.input_schema["required"] == ["a"]


def test_optional_parameters_are_null_free() -> None:
    def tool(a: int | None, b: str | None = None, c: dt.date | None = None) -> None: ...

    signature = read(tool)
    assert signature.input_schema["properties"] == {
        "a": {"type": "integer"},
        "b": {"type": "string"},
        "c": {"type": "string", "format": "date"},
    }
    assert "required" not in signature.input_schema
    assert signature.defaults == {"a": None}
    assert signature.converters["c"](None) is None
    assert signature.converters["c"]("2026-01-31") == dt.date(2026, 1, 31)


def test_defaults_that_json_has_a_word_for_are_shown() -> None:
    def tool(
        a: float = 1.5,
        b: float = float("inf"),
        c: dt.date = dt.date(2026, 1, 31),
        d: list[int] = [1],  # noqa: B006
        e: tuple[int, ...] = (1,),
        f: Any = object(),  # noqa: B008
        g: Point = Point(1),  # noqa: B008
        h: bool = False,
    ) -> None: ...

    properties = read(tool).input_schema["properties"]
    shown = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    assert shown == {
        "a": 1.5,
        "c": "2026-01-31",
        "d": [1],
        "e": [1],
        "g": {"x": 1, "note": None},
        "h": False,
    }


def test_a_converter_names_the_parameter_and_the_place_in_it() -> None:
    def tool(when: dt.date, points: list[Point], count: int) -> None: ...

    converters = read(tool).converters
    assert set(converters) == {"when", "points"}
    with pytest.raises(ValueError, match='^when: must be a date such as .*, but is "x"$'):
        converters["when"]("x")
    with pytest.raises(ValueError, match=r"^points\[1\]: is missing the required property"):
        converters["points"]([{"x": 1}, {}])


def test_a_description_in_the_hint_comes_before_the_docstring() -> None:
    def tool(a: Annotated[int, "from the hint"], b: int, p: Point) -> None:
        """Does.

        :param a: from the docstring
        :param b: from the docstring
        :param p: where
        """

    a, b, p = read(tool).parameters
    assert a.schema["description"] == a.description == "from the hint"
    assert b.schema["description"] == b.description == "from the docstring"
    assert p.description == "where"


def test_fields_of_pydantic_describe_parameters_in_both_places() -> None:
    def tool(
        a: Annotated[int, Field(ge=1, description="first")],
        b: int = Field(le=5, description="second"),
        c: int = Field(3, description="third"),
        d: Annotated[int, Field(default=4)] = 5,
        e: list[int] = Field(default_factory=list),  # noqa: B008
    ) -> None: ...

    signature = read(tool)
    assert signature.input_schema["properties"] == {
        "a": {"type": "integer", "minimum": 1, "description": "first"},
        "b": {"type": "integer", "maximum": 5, "description": "second"},
        "c": {"type": "integer", "default": 3, "description": "third"},
        "d": {"type": "integer", "default": 5},
        "e": {"type": "array", "items": {"type": "integer"}, "default": []},
    }
    assert signature.input_schema["required"] == ["a", "b"]
    assert signature.defaults == {"c": 3, "e": []}


def test_recursive_parameters_share_definitions_at_the_root() -> None:
    def tool(a: Node, b: list[Node]) -> None: ...

    schema = read(tool).input_schema
    assert schema["properties"]["a"] == {"$ref": "#/$defs/Node"}
    assert schema["properties"]["b"]["items"] == {"$ref": "#/$defs/Node"}
    assert Draft202012Validator(schema).is_valid({"a": {"next": {}}, "b": [{}]})
    assert not Draft202012Validator(schema).is_valid({"a": {"next": {"x": 1}}, "b": []})


def test_the_context_is_found_however_it_is_annotated() -> None:
    def bare(ctx: Context, a: int) -> None: ...
    def optional(a: int, ctx: Context | None = None) -> None: ...
    def special(ctx: Special, a: int) -> None: ...
    def annotated(ctx: Annotated[Context, "the call"], a: int) -> None: ...
    def unresolved(ctx: elsewhere.Context | None, a: int) -> None: ...  # type: ignore[name-defined]
    def nested(ctx: "Context", a: int) -> None: ...  # noqa: UP037

    for function in (bare, optional, special, annotated, unresolved, nested):
        signature = read(function)
        assert signature.context == "ctx"
        assert [parameter.name for parameter in signature.parameters] == ["a"]
        assert list(signature.input_schema["properties"]) == ["a"]


def test_two_contexts_are_one_too_many() -> None:
    def tool(a: Context, b: Context) -> None: ...

    with pytest.raises(SignatureError, match="parameter b is a second Context; keep one"):
        read(tool)


def test_positional_only_parameters_are_listed_in_order_with_their_defaults() -> None:
    def tool(a: int, ctx: Context, b: int = 2, /, c: int = 3, *, d: int = 4) -> None: ...

    signature = read(tool)
    assert signature.positional == ("a", "ctx", "b", "c")
    assert signature.defaults == {"b": 2, "c": 3}
    assert signature.input_schema["required"] == ["a"]


def test_keyword_arguments_open_the_schema() -> None:
    def anything(a: int, **rest: Any) -> None: ...
    def numbers(a: int, **rest: int) -> None: ...
    def dates(a: int, **rest: dt.date) -> None: ...

    assert "additionalProperties" not in read(anything).input_schema
    assert read(numbers).input_schema["additionalProperties"] == {"type": "integer"}
    assert [parameter.name for parameter in read(anything).parameters] == ["a"]
    with pytest.raises(SignatureError, match=r"parameter \*\*rest has the hint .*date"):
        read(dates)


def test_names_in_the_function_around_are_resolved() -> None:
    @dataclass
    class Local:
        when: dt.date
        again: Local | None = None

    def tool(a: Local, b: list[Local]) -> Local:
        return a

    signature = read(tool)
    assert signature.converters["a"]({"when": "2026-01-31"}) == Local(dt.date(2026, 1, 31))
    assert signature.output_schema is not None
    assert not signature.wrap


def test_names_that_only_the_closure_has_are_resolved() -> None:
    def outer() -> Callable[..., Any]:
        @dataclass
        class Hidden:
            x: int

        def tool(a: Hidden) -> None:
            Hidden(1)

        return tool

    assert read(outer()).input_schema["properties"]["a"]["required"] == ["x"]


def line_of(function: Any) -> int:
    return int(function.__code__.co_firstlineno)


@pytest.mark.parametrize("case", range(5))
def test_a_mistake_is_reported_with_file_line_function_and_parameter(case: int) -> None:
    def variadic(*values: int) -> None: ...
    def inexpressible(a: int, b: complex) -> None: ...
    def unknown(a: list[Unknown]) -> None: ...
    def nested(a: Annotated[dict[str, re.Match[str]], "x"]) -> None: ...
    def returned(a: int) -> complex:
        return a

    cases: list[tuple[Any, str]] = [
        (variadic, r"parameter \*values cannot be sent .*use a parameter values: list instead"),
        (inexpressible, r"parameter b: the hint complex has no JSON Schema; possible are str,"),
        (unknown, r"parameter a: the name 'Unknown' in the hint 'list\[Unknown\]' is not defined"),
        (nested, r"parameter a: the hint re.Match\[str\] has no JSON Schema"),
        (returned, r"the return annotation: the hint complex has no JSON Schema"),
    ]
    function, words = cases[case]
    with pytest.raises(SignatureError) as caught:
        read(function)
    message = str(caught.value)
    where, _, rest = message.partition(": ")
    file, _, line = where.rpartition(":")
    assert os.path.samefile(file, __file__)
    assert int(line) == line_of(function)
    assert re.match(rf"function {function.__name__}\(\): {words}", rest), rest


def test_a_file_below_the_working_directory_is_named_relative_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tool(*values: int) -> None: ...

    monkeypatch.chdir(Path(__file__).parent)
    with pytest.raises(
        SignatureError, match=rf"^test_signature\.py:{line_of(tool)}: function tool"
    ):
        read(tool)


class Greeter:
    """Greets."""

    def greet(self, name: str, ctx: Context) -> str:
        """Says hello."""
        return name

    @classmethod
    def make(cls, count: int) -> str:
        return ""

    @staticmethod
    def help(topic: str) -> str:
        return topic

    def __call__(self, whom: str) -> str:
        return whom


class Asking:
    """Asks."""

    async def __call__(self, what: str) -> int:
        return 1


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def test_methods_objects_partials_and_wrappers_are_read() -> None:
    def three(a: int, b: int, c: dt.date) -> str:
        """Takes three."""
        return ""

    def names(function: Callable[..., Any]) -> list[str]:
        return [parameter.name for parameter in read(function).parameters]

    assert names(Greeter().greet) == ["name"]
    assert read(Greeter().greet).context == "ctx"
    assert read(Greeter().greet).description == "Says hello."
    assert names(Greeter.make) == ["count"]
    assert names(Greeter.help) == ["topic"]
    assert names(Greeter()) == ["whom"]
    assert read(Greeter()).name == "Greeter"
    assert read(Greeter()).description == "Greets."
    assert names(functools.partial(three, 1)) == ["b", "c"]
    partial = read(functools.partial(three, b=5))
    assert partial.name == "three"
    assert partial.description == "Takes three."
    assert partial.input_schema["properties"]["b"] == {"type": "integer", "default": 5}
    assert partial.converters["c"]("2026-01-31") == dt.date(2026, 1, 31)
    assert names(wrapped(wrapped(three))) == ["a", "b", "c"]
    assert read(wrapped(three)).name == "three"
    assert names(functools.lru_cache(three)) == ["a", "b", "c"]


def test_a_signature_that_was_set_by_hand_is_believed() -> None:
    def tool(*args: Any, **kwargs: Any) -> None: ...

    parameter = inspect.Parameter("a", inspect.Parameter.KEYWORD_ONLY, annotation=int)
    tool.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    assert read(tool).input_schema["properties"] == {"a": {"type": "integer"}}


def test_a_callable_without_a_known_signature_is_refused() -> None:
    with pytest.raises(SignatureError, match=r"function .*\(\): its signature is not known"):
        read(dict)


def test_coroutine_functions_are_recognised_in_every_dress() -> None:
    async def tool(a: int) -> int:
        return a

    def plain(a: int) -> int:
        return a

    def later(a: int) -> Awaitable[int]:
        return tool(a)

    def coroutine(a: int) -> Coroutine[Any, Any, int]:
        return tool(a)

    def future(a: int) -> asyncio.Future[int]:
        return asyncio.ensure_future(tool(a))

    for function in (tool, functools.partial(tool, 1), wrapped(tool), Asking(), later, coroutine):
        signature = read(function)
        assert signature.is_async, function
        assert signature.output_schema is not None
        assert signature.output_schema["properties"] == {"result": {"type": "integer"}}
    assert read(future).is_async
    assert read(later, output=False).is_async
    for function in (plain, functools.partial(plain, 1), wrapped(plain), Greeter()):
        assert not read(function).is_async, function


LEAN = """
import sys
before = set(sys.modules)
from mcplite import _signature
class Context: pass
def tool(ctx: Context, a: int, b: list[str] = [], c: "dict[str, int] | None" = None) -> list[int]:
    '''Does.

    Args:
        a: the first
    '''
signature = _signature.inspect_function(tool, Context)
assert signature.context == "ctx" and signature.output_schema, signature
assert signature.input_schema["properties"]["c"]["type"] == "object", signature
heavy = "asyncio inspect typing re dataclasses enum json functools collections pydantic".split()
print([name for name in heavy if name in sys.modules and name not in before])
"""


def test_plain_functions_are_read_without_heavy_imports() -> None:
    import mcplite

    root = Path(mcplite.__path__[0]).parent
    script = f"import sys; sys.path.insert(0, {str(root)!r})\n{LEAN}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"
