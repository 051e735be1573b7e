"""Which paths belong to an endpoint that lives in somebody else's web application."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_METADATA = "/.well-known/oauth-protected-resource"


class Paths:
    """The paths of one endpoint: its own, those of 2024-11-05, and that of its metadata."""

    __slots__ = ("_has_metadata", "_others", "_plain", "own")

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self.own = path or "/"
        self._plain = self.own.rstrip("/")
        self._others = {options.get("sse_path"), options.get("sse_post_path")}
        self._has_metadata = bool(options.get("resource_metadata"))

    def find(self, path: str, root: str) -> str | None:
        """The path by which the engine knows what a request asks for; None for what is not ours.

        `path` is the whole path and `root` is where the application is mounted, if it is. There the
        mount point is the endpoint, and so is the endpoint's own path below it; a slash at the end
        makes no difference. All other paths are those that clients see.
        """
        root = root.rstrip("/")
        inner = path
        if root and path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/"):
            inner = path[len(root) :]
        plain = inner.rstrip("/")
        if plain == self._plain or (root and not plain):
            return self.own
        if path in self._others or (self._has_metadata and path.startswith(_METADATA)):
            return path
        return None
