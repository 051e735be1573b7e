"""Where the names in annotations that are strings are looked up."""

from __future__ import annotations

import sys

from ._shapes import HintError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Names(dict[str, "Any"]):
    """The local names around a definition, as far as the frames of the callers still have them."""

    __slots__ = ("space", "qualname", "outer")

    def __init__(
        self, space: dict[str, Any], qualname: str, outer: Names | None = None, **known: Any
    ) -> None:
        super().__init__(known)
        self.space = space
        self.qualname = qualname
        self.outer = outer

    def __missing__(self, name: str) -> Any:
        frame = sys._getframe(1)
        while frame is not None:
            if (
                frame.f_globals is self.space
                and self.qualname.startswith(f"{frame.f_code.co_qualname}.")
                and name in frame.f_locals
            ):
                return frame.f_locals[name]
            frame = frame.f_back  # type: ignore[assignment]
        if self.outer is None or name in self.space:
            raise KeyError(name)
        try:
            return self.outer[name]
        except KeyError:
            return self.outer.space[name]


class Scope:
    """Evaluates annotations of one function, and of the classes that its hints lead to."""

    __slots__ = ("names",)

    def __init__(self, names: Names) -> None:
        self.names = names

    def evaluate(self, text: str) -> Any:
        """The hint that a string stands for."""
        try:
            return eval(text, self.names.space, self.names)
        except NameError as error:
            raise unresolved(error, text) from None
        except Exception as error:
            raise HintError(
                f"the hint {text!r} cannot be evaluated ({type(error).__name__}: {error}); "
                "write a hint that is valid as an expression"
            ) from None

    def of_module(self, name: str) -> Scope:
        """The scope for names that stand in another module."""
        module = sys.modules.get(name)
        return self if module is None else Scope(Names(module.__dict__, "", self.names))

    def class_hints(self, owner: type) -> dict[str, Any]:
        """The hints of a class and its bases, with names resolved and metadata kept."""
        from typing import get_type_hints

        module = sys.modules.get(owner.__module__)
        space = module.__dict__ if module is not None else {}
        names = Names(space, owner.__qualname__, self.names, **{owner.__name__: owner})
        try:
            return get_type_hints(owner, localns=names, include_extras=True)
        except NameError as error:
            raise unresolved(error, owner.__qualname__) from None
        except (SyntaxError, TypeError) as error:
            raise HintError(
                f"the hints of {owner.__qualname__} cannot be evaluated ({error})"
            ) from None


def unresolved(error: NameError, where: str) -> HintError:
    """The error for a name that nothing defines."""
    return HintError(
        f"the name {error.name!r} in the hint {where!r} is not defined; import or define it in the "
        "module, before the function and not only under `if TYPE_CHECKING`"
    )
