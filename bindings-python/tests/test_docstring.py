"""Docstrings in the three usual styles."""

from __future__ import annotations

import pytest

from mcplite import _docstring

GOOGLE = """Finds books.

    Looks in title and text.

    Args:
        query (str): what to look for,
            in any language
        limit (dict[str, int], optional): how many: at most
        *tags: words
        a, b: both ends

    Returns:
        A list of books.

    Raises:
        ValueError: if nothing is asked.

    Note:
        Case does not matter.
    """

NUMPY = """Finds books.

    Looks in title and text.

    Parameters
    ----------
    query : str
        what to look for,
        in any language
    limit : dict[str, int], optional
        how many: at most
    *tags
        words
    a, b : int
        both ends

    Returns
    -------
    list
        A list of books.

    Raises
    ------
    ValueError
        if nothing is asked.

    Notes
    -----
    Case does not matter.
    """

SPHINX = """Finds books.

    Looks in title and text.

    :param str query: what to look for,
        in any language
    :param limit: how many: at most
    :type limit: dict[str, int]
    :param tags: words
    :arg a: both ends
    :keyword b: both ends
    :returns: A list of books.
    :rtype: list
    :raises ValueError: if nothing is asked.
    """

EXPECTED = {
    "query": "what to look for, in any language",
    "limit": "how many: at most",
    "tags": "words",
    "a": "both ends",
    "b": "both ends",
}


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_each_style_gives_the_lines_of_the_parameters(text: str) -> None:
    assert _docstring.parse(text).parameters == EXPECTED


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        (GOOGLE, "\n\nNote:\n    Case does not matter."),
        (NUMPY, "\n\nNotes\n-----\nCase does not matter."),
        (SPHINX, ""),
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_the_description_is_summary_and_body_without_those_sections(text: str, tail: str) -> None:
    assert _docstring.parse(text).description == f"Finds books.\n\nLooks in title and text.{tail}"


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_has_no_description(text: str | None) -> None:
    parsed = _docstring.parse(text)
    assert parsed.description is None
    assert parsed.parameters == {}


def test_a_docstring_of_sections_alone_has_no_description() -> None:
    parsed = _docstring.parse("\n    Args:\n        x: the value\n    ")
    assert parsed.description is None
    assert parsed.parameters == {"x": "the value"}


def test_a_word_with_a_colon_is_no_section_without_an_indented_line() -> None:
    parsed = _docstring.parse("Prints.\n\nArgs:\nnone at all")
    assert parsed.description == "Prints.\n\nArgs:\nnone at all"
    assert parsed.parameters == {}


def test_text_after_a_section_belongs_to_the_description() -> None:
    parsed = _docstring.parse("Adds.\n\nArgs:\n    x: one\n\nThat is all.")
    assert parsed.description == "Adds.\n\nThat is all."
    assert parsed.parameters == {"x": "one"}


def test_an_unknown_field_stays_in_the_description() -> None:
    parsed = _docstring.parse("Adds.\n\n:seealso: subtract\n:param x: one")
    assert parsed.description == "Adds.\n\n:seealso: subtract"
    assert parsed.parameters == {"x": "one"}


def test_epytext_fields_are_read_too() -> None:
    parsed = _docstring.parse("Adds.\n\n@param x: one\n@return: two")
    assert parsed.description == "Adds."
    assert parsed.parameters == {"x": "one"}


def test_paragraphs_of_a_parameter_are_joined() -> None:
    parsed = _docstring.parse("Adds.\n\nArgs:\n    x: one\n\n        more\n    y: two")
    assert parsed.parameters == {"x": "one more", "y": "two"}


def test_relative_indentation_of_the_body_stays() -> None:
    parsed = _docstring.parse("Runs.\n\n    Like this::\n\n        run()\n    ")
    assert parsed.description == "Runs.\n\nLike this::\n\n    run()"
