"""Types of the standard library that are strings in JSON: dates, UUIDs, decimals, paths, bytes."""

from __future__ import annotations

from ._shapes import Mismatch, Shape, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta
    from typing import Any

    Convert = Callable[[Any], Any]

_DATE_TIME = 'a date and time such as "2026-01-31T12:30:00Z"'
_ISO = {
    "datetime.datetime": ("date-time", _DATE_TIME),
    "datetime.date": ("date", 'a date such as "2026-01-31"'),
    "datetime.time": ("time", 'a time such as "12:30:00"'),
}
_SPELLED = {
    "uuid.UUID": ("uuid", "a UUID"),
    "decimal.Decimal": ("decimal", 'a decimal number such as "12.50"'),
    "fractions.Fraction": (None, 'a fraction such as "1/3"'),
    "ipaddress.IPv4Address": ("ipv4", "an IPv4 address"),
    "ipaddress.IPv6Address": ("ipv6", "an IPv6 address"),
    "ipaddress.IPv4Network": (None, "an IPv4 network"),
    "ipaddress.IPv6Network": (None, "an IPv6 network"),
    "zoneinfo.ZoneInfo": (None, 'a time zone such as "Europe/Vienna"'),
}


def scalar(kind: Any) -> Shape | None:
    """The shape of a class of the standard library, or None if it is not known here."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name in _ISO:
        form, words = _ISO[name]
        return Shape(_string(form), _reader(kind.fromisoformat, words))
    if name in _SPELLED:
        spelled, words = _SPELLED[name]
        return Shape(_string(spelled), _reader(kind, words))
    if name == "datetime.timedelta":
        words = 'a duration in ISO 8601 such as "P1DT2H30M"'
        return Shape(_string("duration"), _reader(_read_duration, words))
    if name in ("builtins.bytes", "builtins.bytearray"):
        return Shape(
            {"type": "string", "contentEncoding": "base64"},
            _reader(lambda text: kind(_read_base64(text)), "base64"),
        )
    if name == "re.Pattern":
        from re import compile, error

        return Shape(_string("regex"), _reader(compile, "a regular expression", error))
    if name == "os.PathLike":
        return Shape({"type": "string"})
    if any(base.__name__ == "PurePath" for base in kind.__mro__):
        return Shape({"type": "string"}, _reader(kind, "a path"))
    return None


def _string(form: str | None) -> dict[str, Any]:
    return {"type": "string", "format": form} if form else {"type": "string"}


def _reader(read: Convert, words: str, *errors: type[Exception]) -> Convert:
    failures: tuple[type[Exception], ...] = (
        ValueError,
        TypeError,
        ArithmeticError,
        LookupError,
        *errors,
    )

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            raise Mismatch(f"must be a string with {words}, but is {shown(value)}")
        try:
            return read(value)
        except failures:
            raise Mismatch(f"must be {words}, but is {shown(value)}") from None

    return convert


def _read_base64(text: str) -> bytes:
    from binascii import a2b_base64

    return a2b_base64(text, strict_mode=True) if text else b""


def _read_duration(text: str) -> timedelta:
    """Reads an ISO 8601 duration of weeks, days and smaller; months have no fixed length."""
    from datetime import timedelta

    sign = -1 if text.startswith("-") else 1
    body = text.lstrip("+-")
    if not body.startswith("P") or len(text) - len(body) > 1:
        raise ValueError(text)
    date, clock, time = body[1:].partition("T")
    amounts = [*_amounts(date, "WD"), *_amounts(time, "HMS")]
    if not amounts or (clock and not time):
        raise ValueError(text)
    names = {"W": "weeks", "D": "days", "H": "hours", "M": "minutes", "S": "seconds"}
    return sign * timedelta(**{names[unit]: amount for unit, amount in amounts})


def _amounts(text: str, units: str) -> list[tuple[str, float]]:
    amounts = []
    digits = ""
    for letter in text:
        if letter in "0123456789.":
            digits += letter
            continue
        at = units.find(letter)
        if at < 0:
            raise ValueError(text)
        amounts.append((letter, float(digits) if "." in digits else int(digits)))
        units, digits = units[at + 1 :], ""
    if digits:
        raise ValueError(text)
    return amounts
