"""The endpoint that an HTTP transcript talks to, made from its options."""

from __future__ import annotations

from typing import Any

from mcplite._native import Http, HttpRequest, Raw

from .stage import Options, Stage

_NUMBERS = {
    "body-bytes": "body_bytes",
    "header-bytes": "header_bytes",
    "header-count": "header_count",
    "keepalive": "keepalive_ms",
    "replay-bytes": "replay_bytes",
    "retry": "retry_ms",
    "session-idle": "session_idle_ms",
    "sessions": "sessions",
}
_LISTS = {"cors": "cors_origins", "hosts": "allowed_hosts", "origins": "allowed_origins"}
_OTHERS = ("authorize", "mount", "resource-metadata", "sans-io", "sse", "stateless")


def made(options: Options) -> tuple[Stage, Http]:
    """A server at `/mcp`, and whatever else the options say."""
    own = [option for option in options if _is_own(option[0])]
    stage = Stage([option for option in options if option not in own])
    http = stage.server.http("/mcp")
    for key, value in own:
        if key == "authorize":
            http.set_authorizer(_by_name)
        elif key == "mount":
            path, _, name = value.partition(" ")
            http.mount(path, stage.beside(name))
        elif key != "sans-io":
            http.configure(_option(key, value))
    return stage, http


def _is_own(key: str) -> bool:
    return key in _NUMBERS or key in _LISTS or key in _OTHERS


def _option(key: str, value: str) -> dict[str, Any]:
    if key in _NUMBERS:
        return {_NUMBERS[key]: int(value)}
    if key in _LISTS:
        return {_LISTS[key]: value.split(",")}
    if key == "sse":
        stream, _, post = value.partition(" ")
        return {"sse_path": stream, "sse_post_path": post}
    if key == "resource-metadata":
        return {"resource_metadata": Raw(value)}
    return {"stateless": value == "on"}


def _by_name(request: HttpRequest) -> str | int:
    """Takes the token for the name of whoever sends it, but for two that are not good enough."""
    kind, _, token = (request.header("authorization") or "").partition(" ")
    if kind != "Bearer":
        request.set_challenge('scope="files:read"')
        return 401
    if token == "expired":
        request.set_challenge('error="invalid_token"')
        return 401
    if token == "weak":
        request.set_challenge('scope="files:write"')
        return 403
    return token
