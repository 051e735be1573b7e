"""What clients answer when a handler asks them.

Each of these is plain and awaitable at once: a `def` handler gets it filled in, an `async def`
handler awaits it first.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import Any, Generic, Self, TypeVar

    from .context import Context

    T = TypeVar("T")
else:
    T = object

    class Generic:
        """Stands in for `typing.Generic`, which would cost more to import than all of this."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> type:
            return cls


__all__ = ["Answer", "Elicited", "Roots", "Sampled"]


class Answer:
    """What the client said to one question, or will say."""

    __slots__ = ("_context", "_is_filled", "_question", "_raw")

    def __init__(self, context: Context, question: tuple[str, str, str]) -> None:
        self._context = context
        self._question = question
        self._is_filled = False
        self._raw: dict[str, Any] = {}

    @property
    def raw(self) -> dict[str, Any]:
        """The client's result, as the protocol has it."""
        if not self._is_filled:
            raise RuntimeError("the client has not answered yet: write `await` before the question")
        return self._raw

    def _fill(self, raw: dict[str, Any]) -> None:
        self._raw = raw
        self._is_filled = True

    def __await__(self) -> Generator[Any, None, Self]:
        if not self._is_filled:
            yield from self._context._wait_for(self).__await__()
        return self

    def __repr__(self) -> str:
        said = self._raw if self._is_filled else "not answered yet"
        return f"{type(self).__name__}({said!r})"


class Elicited(Answer, Generic[T]):
    """What the user said to a form or a page."""

    __slots__ = ("_convert", "_data", "_is_wrapped")
    __match_args__ = ("action", "data")

    def __init__(
        self,
        context: Context,
        question: tuple[str, str, str],
        convert: Callable[[Any], Any] | None,
        is_wrapped: bool,
    ) -> None:
        super().__init__(context, question)
        self._convert = convert
        self._is_wrapped = is_wrapped
        self._data: Any = None

    def _fill(self, raw: dict[str, Any]) -> None:
        if raw.get("action") == "accept":
            content = raw.get("content")
            if self._is_wrapped:
                content = content.get("value") if isinstance(content, dict) else None
            self._data = self._convert(content) if self._convert else content
        super()._fill(raw)

    @property
    def action(self) -> str:
        """`"accept"`, `"decline"` or `"cancel"`."""
        return str(self.raw.get("action"))

    @property
    def accepted(self) -> bool:
        """Whether the user has filled in the form, or agreed to visit the page."""
        return self.action == "accept"

    @property
    def data(self) -> T:
        """What the user filled in, as what was asked for; None if the user did not."""
        self.raw  # noqa: B018 - says so if there is no answer yet.
        data: T = self._data
        return data

    def __bool__(self) -> bool:
        return self.accepted


class Sampled(Answer):
    """What the client's model said."""

    __slots__ = ()

    @property
    def content(self) -> Any:
        """The content of the message: a block, or several."""
        return self.raw.get("content")

    @property
    def text(self) -> str:
        """The text of the message, without blocks of other kinds."""
        content = self.content
        blocks = content if isinstance(content, list) else [content]
        texts = [block.get("text") for block in blocks if isinstance(block, dict)]
        return "".join(text for text in texts if isinstance(text, str))

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self.raw.get("model"))

    @property
    def stop_reason(self) -> str | None:
        """Why the model stopped, if the client says."""
        return self.raw.get("stopReason")

    def __str__(self) -> str:
        return self.text


class Roots(Answer):
    """The folders that the client works on."""

    __slots__ = ()

    @property
    def roots(self) -> list[dict[str, Any]]:
        """Each with its `uri`, and perhaps a `name`."""
        roots = self.raw.get("roots")
        return roots if isinstance(roots, list) else []

    @property
    def uris(self) -> list[str]:
        """The URIs alone."""
        return [str(root.get("uri")) for root in self.roots]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.roots)

    def __len__(self) -> int:
        return len(self.roots)
