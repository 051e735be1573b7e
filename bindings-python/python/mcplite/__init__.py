"""A complete Model Context Protocol server that lives inside your program.

from mcplite import Server

server = Server("demo")

@server.tool
def add(a: int, b: int) -> int:
    "Adds two numbers."
    return a + b

server.run()
"""

from ._native import PROTOCOL_VERSIONS, Session, __version__
from .context import Context
from .errors import (
    ErrorCode,
    McpError,
    MissingCapabilityError,
    NotAuthorisedError,
    NotFoundError,
    ToolError,
)
from .server import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .asking import Elicited, Roots, Sampled
    from .content import (
        Assistant,
        Audio,
        Completion,
        EmbeddedResource,
        Image,
        Message,
        PromptResult,
        ResourceContents,
        ResourceLink,
        Text,
        ToolResult,
        User,
    )
    from .jsonrpc import is_notification, make_error, make_result
    from .transport import MemoryTransport, Transport

__all__ = [
    "PROTOCOL_VERSIONS",
    "Assistant",
    "Audio",
    "Completion",
    "Context",
    "Elicited",
    "EmbeddedResource",
    "ErrorCode",
    "Image",
    "McpError",
    "MemoryTransport",
    "Message",
    "MissingCapabilityError",
    "NotAuthorisedError",
    "NotFoundError",
    "PromptResult",
    "ResourceContents",
    "ResourceLink",
    "Roots",
    "Sampled",
    "Server",
    "Session",
    "Text",
    "ToolError",
    "ToolResult",
    "Transport",
    "User",
    "__version__",
    "is_notification",
    "make_error",
    "make_result",
]

# Imported when they are first used.
_LATER = {
    "asking": ("Elicited", "Roots", "Sampled"),
    "content": (
        "Assistant",
        "Audio",
        "Completion",
        "EmbeddedResource",
        "Image",
        "Message",
        "PromptResult",
        "ResourceContents",
        "ResourceLink",
        "Text",
        "ToolResult",
        "User",
    ),
    "jsonrpc": ("is_notification", "make_error", "make_result"),
    "transport": ("MemoryTransport", "Transport"),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            from importlib import import_module

            value: object = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
