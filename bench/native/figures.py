"""Numbers as people read them."""

from __future__ import annotations

from typing import Any


def number_text(number: float) -> str:
    """Three digits, or all that stand before the point."""
    if number == 0:
        return "0"
    size = abs(number)
    if size >= 100 or float(number).is_integer():
        return f"{number:,.0f}"
    if size >= 10:
        return f"{number:.1f}"
    return f"{number:.2f}" if size >= 0.1 else f"{number:.3f}"


# Units whose numbers grow too long to be read, and what the next one is.
LARGER = {"µs": (1000, "ms"), "B": (1000, "KB"), "KB": (1000, "MB"), "KiB": (1024, "MiB")}


def scaled(number: float, unit: str) -> tuple[float, str]:
    """The same in a unit that keeps it short."""
    while unit in LARGER and abs(number) >= 10 * LARGER[unit][0]:
        factor, unit = LARGER[unit]
        number /= factor
    return number, unit


def value_text(value: dict[str, Any] | None, unit: str) -> str:
    """The median only."""
    if value is None:
        return "–"
    return _with_unit(*scaled(value["median"], unit))


def spread_text(value: dict[str, Any] | None, unit: str, is_scaled: bool = True) -> str:
    """The median and the quartiles, where there are several rounds."""
    if value is None:
        return "–"
    median = value["median"]
    middle, shown = scaled(median, unit) if is_scaled else (median, unit)
    factor = median / middle if middle else 1
    low, high = (number_text(quartile / factor) for quartile in value["quartiles"])
    spread = "" if low == high else f" ({low} to {high})"
    return _with_unit(middle, shown) + spread


def quotient_text(value: dict[str, Any] | None) -> str:
    """A ratio, or nothing where there is none."""
    return f"{number_text(value['median'])}×" if value else ""


def _with_unit(number: float, unit: str) -> str:
    separator = "" if unit in ("/s", "×", "") else " "
    return f"{number_text(number)}{separator}{unit}"
