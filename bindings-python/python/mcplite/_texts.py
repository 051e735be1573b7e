"""Arguments that come as text, as those of prompts and resource templates do."""

from __future__ import annotations

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._signature import Signature

_TRUE, _FALSE = frozenset(("true", "yes", "1", "on")), frozenset(("false", "no", "0", "off"))


def converters(signature: Signature) -> dict[str, Callable[[Any], Any]]:
    """How the text of each argument becomes what its hint says."""
    made: dict[str, Callable[[Any], Any]] = {}
    for parameter in signature.parameters:
        convert = _converter(parameter.schema, signature.converters.get(parameter.name))
        if convert is not None:
            made[parameter.name] = _named(parameter.name, convert)
    return made


def _converter(
    schema: dict[str, Any], then: Callable[[Any], Any] | None
) -> Callable[[Any], Any] | None:
    kind = schema.get("type")
    if kind == "string" or kind is None and "enum" not in schema and "anyOf" not in schema:
        return then
    read: Callable[[Any], Any] = _value
    if kind == "integer":
        read = int
    elif kind == "number":
        read = float
    elif kind == "boolean":
        read = _boolean
    if then is None:
        return read

    def convert(text: str) -> Any:
        return then(read(text))

    return convert


def _boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError(f"{text!r} is neither true nor false")


def _value(text: str) -> Any:
    """JSON if it is, else the text itself."""
    try:
        return _native.loads(text)
    except ValueError:
        return text


def _named(name: str, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def converted(text: str) -> Any:
        try:
            return convert(text)
        except (TypeError, ValueError) as error:
            from .errors import InvalidParamsError

            raise InvalidParamsError(f"{name}: {error}") from None

    return converted
