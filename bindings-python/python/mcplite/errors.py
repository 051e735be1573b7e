"""What goes wrong: errors that handlers raise for their clients, and mistakes of the program."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

__all__ = [
    "AnsweredError",
    "BusyError",
    "CallCancelledError",
    "ClosedError",
    "DefinitionError",
    "ErrorCode",
    "ExistsError",
    "InvalidParamsError",
    "LimitError",
    "McpError",
    "MissingCapabilityError",
    "MisuseError",
    "NotAuthorisedError",
    "NotFoundError",
    "ToolError",
    "UnknownItemError",
    "UrlElicitationRequiredError",
]


class ErrorCode:
    """The codes of JSON-RPC and of the Model Context Protocol, as plain integers."""

    PARSE_ERROR: Final = -32700
    INVALID_REQUEST: Final = -32600
    METHOD_NOT_FOUND: Final = -32601
    INVALID_PARAMS: Final = -32602
    INTERNAL_ERROR: Final = -32603
    RESOURCE_NOT_FOUND: Final = -32002
    HEADER_MISMATCH: Final = -32020
    MISSING_CAPABILITY: Final = -32021
    UNSUPPORTED_VERSION: Final = -32022
    URL_ELICITATION_REQUIRED: Final = -32042


class McpError(Exception):
    """An error with a JSON-RPC code.

    Raise it in a handler to answer with this code, message and data. A code that the client's
    revision reserves for a purpose of its own is told as an internal error: for those there are
    subclasses, which are told in the way that the revision asks for.
    """

    code: int
    message: str
    data: Any
    _kind: str | None = None

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        data = "" if self.data is None else f", data={self.data!r}"
        return f"{type(self).__name__}({self.code}, {self.message!r}{data})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The arguments of the constructors differ, so that the attributes are pickled and copied.
        return _restore, (type(self), self.args, self.__dict__.copy())


def _restore(kind: type[McpError], args: tuple[Any, ...], state: dict[str, Any]) -> McpError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


def _of_engine(kind: str, code: int, message: str, data: Any) -> McpError:
    """What the engine refuses a client, as an exception that is told in the same way."""
    named = (NotFoundError, NotAuthorisedError, InvalidParamsError)
    error = McpError(code, message, data)
    for known in named:
        if known._kind == kind:
            error = known(message, data)
    error.code = code
    error._kind = kind
    return error


class ToolError(McpError):
    """The tool ran and failed. The message is for the model, which can read it and try again."""

    _kind = "tool-failed"

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, message, data)


class NotFoundError(McpError):
    """There is no such resource."""

    _kind = "resource-not-found"

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(ErrorCode.RESOURCE_NOT_FOUND, message, data)


class NotAuthorisedError(McpError):
    """This client may not do this."""

    _kind = "not-authorised"

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(ErrorCode.INVALID_REQUEST, message, data)


class InvalidParamsError(McpError):
    """The parameters are wrong in a way that no schema can say."""

    _kind = "invalid-params"

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(ErrorCode.INVALID_PARAMS, message, data)


class UrlElicitationRequiredError(McpError):
    """The user must visit pages before this can be done.

    Each elicitation is a dict with `url`, `message` and `elicitationId`. Clients of 2025-11-25 get
    an error that names the pages, newer ones are asked to show them and then try again.
    """

    _kind = "url-elicitation-required"

    def __init__(
        self,
        elicitations: Iterable[Mapping[str, Any]],
        message: str = "the user has to visit a page first",
    ) -> None:
        data = {"elicitations": [{"mode": "url", **page} for page in elicitations]}
        super().__init__(ErrorCode.URL_ELICITATION_REQUIRED, message, data)


class MissingCapabilityError(McpError):
    """The client lacks a capability that the request needs, such as `{"sampling": {}}`."""

    _kind = "missing-capability"

    def __init__(
        self, capabilities: Mapping[str, Any], message: str = "the client lacks a capability"
    ) -> None:
        super().__init__(
            ErrorCode.MISSING_CAPABILITY, message, {"requiredCapabilities": dict(capabilities)}
        )


class MisuseError(McpError, ValueError):
    """The program asked mcplite for something that makes no sense; the message says what."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, message)


class DefinitionError(MisuseError):
    """A tool, resource, prompt, schema or template that cannot be used as it is."""


class LimitError(MisuseError):
    """A limit has been reached; the message names it."""


class BusyError(MisuseError):
    """The object is in use by another thread, or by an outer call in this one."""


class ClosedError(MisuseError):
    """The server or session is closed."""


class ExistsError(MisuseError):
    """Something of that name is registered already."""


class UnknownItemError(MisuseError, LookupError):
    """Nothing of that name is registered."""


class AnsweredError(MisuseError):
    """The call has been answered already."""


class CallCancelledError(MisuseError):
    """The call was cancelled: nobody waits for its answer any more."""
