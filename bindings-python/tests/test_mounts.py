"""The server in the web frameworks that people have, driven over the wire."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import django
import fastapi
import flask
import httpx
import pytest
import starlette.applications
import starlette.middleware.base
import starlette.responses
import starlette.routing
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from mcplite import Context, Server
from web_support import (
    INITIALIZE,
    call,
    legacy,
    messages,
    modern,
    open_session,
    text_of,
    under_hypercorn,
    under_uvicorn,
    under_waitress,
    under_wsgiref,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    Serve = Callable[..., AbstractContextManager[httpx.Client]]

ADD = call("add", {"a": 2, "b": 3})
urlpatterns = [path("hello", lambda request: HttpResponse("hello from django"))]


@pytest.fixture(scope="module", autouse=True)
def django_settings() -> None:
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", USE_TZ=True)
    django.setup()


class World:
    """A server, and what its tools wait for."""

    def __init__(self) -> None:
        self.server = server = Server("web", version="1.0")
        self.cue = threading.Event()
        self.cancelled = threading.Event()

        @server.tool
        def add(a: int, b: int) -> str:
            return str(a + b)

        @server.tool
        def count(ctx: Context) -> str:
            ctx.progress(1, 2)
            assert self.cue.wait(20)
            return "counted"

        @server.tool
        async def hang(ctx: Context) -> str:
            ctx.progress(1, 2)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
            return "never"


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.cue.set()
    world.server.close()


class Middleware(starlette.middleware.base.BaseHTTPMiddleware):
    """What many applications have, and what passes events on in its own way."""

    async def dispatch(self, request: Any, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["X-Seen"] = "yes"
        return response


def check_both_eras(client: httpx.Client, at: str) -> None:
    """Sends what a client of each era sends first."""
    reply = client.post(at, **modern("server/discover"))
    assert "2026-07-28" in reply.json()["result"]["supportedVersions"]
    assert text_of(client.post(at, **ADD)) == "5"
    session = open_session(client, at)
    params = {"name": "add", "arguments": {"a": 1, "b": 1}}
    assert text_of(client.post(at, **legacy("tools/call", params, session=session))) == "2"
    gone = client.delete(at, headers={"Mcp-Session-Id": session})
    assert gone.status_code in (200, 202, 204)
    assert client.post(at, **legacy("tools/list", session=session)).status_code == 404


def check_progress_is_live(client: httpx.Client, at: str, world: World) -> None:
    """Lets a tool go on only when its report has arrived."""
    with client.stream("POST", at, **call("count", token="t")) as reply:
        told = messages(reply)
        assert next(told)["params"]["progress"] == 1
        world.cue.set()
        assert next(told)["result"]["content"][0]["text"] == "counted"
        assert list(told) == []


ASGI_SERVERS = [
    pytest.param(lambda app: under_uvicorn(app, http="h11", loop="asyncio"), id="uvicorn-h11"),
    pytest.param(
        lambda app: under_uvicorn(app, http="httptools", loop="uvloop"), id="uvicorn-uvloop"
    ),
    pytest.param(under_hypercorn, id="hypercorn"),
]
WSGI_SERVERS = [
    pytest.param(under_waitress, id="waitress"),
    pytest.param(under_wsgiref, id="wsgiref"),
]


@pytest.mark.parametrize("serve", ASGI_SERVERS)
def test_an_asgi_server_serves_it_as_it_is(serve: Serve, world: World) -> None:
    with serve(world.server.asgi()) as client:
        check_both_eras(client, "/mcp")
        check_both_eras(client, "/mcp/")
        check_progress_is_live(client, "/mcp", world)
        assert client.post("/other", **ADD).status_code == 404
        assert client.post("/mcp", **INITIALIZE, params={"a": "b"}).status_code == 200


@pytest.mark.parametrize("serve", ASGI_SERVERS)
def test_a_client_that_hangs_up_cancels_its_call(serve: Serve, world: World) -> None:
    with serve(world.server.asgi()) as client:
        with client.stream("POST", "/mcp", **call("hang", token="t")) as reply:
            assert next(messages(reply))["params"]["progress"] == 1
            assert not world.cancelled.is_set()
        assert world.cancelled.wait(20)


@pytest.mark.parametrize("serve", ASGI_SERVERS)
def test_a_session_is_told_of_changes_over_the_wire(serve: Serve, world: World) -> None:
    with serve(world.server.asgi()) as client:
        session = open_session(client, "/mcp")
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        with client.stream("GET", "/mcp", headers=headers) as reply:
            assert reply.status_code == 200
            world.server.remove_tool("count")
            assert next(messages(reply))["method"] == "notifications/tools/list_changed"


# Hypercorn resets connections whose request was answered before its end.
@pytest.mark.parametrize("serve", ASGI_SERVERS[:2])
def test_what_is_refused_early_is_answered(serve: Serve, world: World) -> None:
    with serve(world.server.asgi(body_bytes=100_000)) as client:
        large = {**ADD, "content": b" " * 1_000_000}
        assert client.post("/mcp", **large).status_code == 413
        chunks = {**ADD, "content": (b" " * 10_000 for _ in range(100))}
        assert client.post("/mcp", **chunks).status_code == 413
        evil = {**ADD, "headers": {**ADD["headers"], "Host": "evil.example"}}
        assert client.post("/mcp", **evil).status_code == 403
        assert text_of(client.post("/mcp", **ADD)) == "5"


@pytest.mark.parametrize("serve", ASGI_SERVERS)
def test_fastapi_mounts_it(serve: Serve, world: World) -> None:
    app = fastapi.FastAPI()
    app.mount("/tools", world.server.asgi())
    app.routes.append(starlette.routing.Route("/direct", world.server.asgi("/direct")))

    @app.get("/hello")
    def hello() -> str:
        return "hello"

    with serve(app) as client:
        assert client.get("/hello").json() == "hello"
        for at in ("/tools/", "/tools/mcp", "/direct"):
            check_both_eras(client, at)
        client.follow_redirects = True
        assert text_of(client.post("/tools", **ADD)) == "5"
        check_progress_is_live(client, "/tools/", world)


def test_starlette_mounts_it_behind_middleware_and_below_other_mounts(world: World) -> None:
    inner = starlette.routing.Mount("/inner", app=world.server.asgi("/"))
    routes = [
        starlette.routing.Route("/mcp", endpoint=world.server.asgi()),
        starlette.routing.Mount("/outer", routes=[inner]),
        starlette.routing.Mount("/", app=world.server.asgi("/at/the/root")),
    ]
    app = starlette.applications.Starlette(routes=routes)
    app.add_middleware(Middleware)
    with under_uvicorn(app) as client:
        for at in ("/mcp", "/outer/inner/", "/at/the/root"):
            check_both_eras(client, at)
        assert client.post("/mcp", **ADD).headers["x-seen"] == "yes"
        check_progress_is_live(client, "/mcp", world)


def test_a_client_that_hangs_up_behind_middleware_cancels_its_call(world: World) -> None:
    app = starlette.applications.Starlette()
    app.mount("/tools", world.server.asgi())
    app.add_middleware(Middleware)
    with under_uvicorn(app) as client:
        with client.stream("POST", "/tools/", **call("hang", token="t")) as reply:
            assert next(messages(reply))["params"]["progress"] == 1
        assert world.cancelled.wait(20)


def test_a_proxy_may_have_taken_a_prefix_away(world: World) -> None:
    with under_uvicorn(world.server.asgi(), root_path="/api") as client:
        assert text_of(client.post("/mcp", **ADD)) == "5"


@pytest.mark.parametrize("lifespan", ["on", "off", "auto"])
def test_lifespan_events_make_no_difference(world: World, lifespan: str) -> None:
    with under_uvicorn(world.server.asgi(), lifespan=lifespan) as client:
        assert text_of(client.post("/mcp", **ADD)) == "5"


def test_django_is_served_beside_it_over_asgi(world: World) -> None:
    app = world.server.asgi(fallback=get_asgi_application())
    with under_uvicorn(app, lifespan="off") as client:
        assert client.get("/hello").text == "hello from django"
        check_both_eras(client, "/mcp")
        check_progress_is_live(client, "/mcp", world)


@pytest.mark.parametrize("serve", WSGI_SERVERS)
def test_a_wsgi_server_serves_it_as_it_is(serve: Serve, world: World) -> None:
    with serve(world.server.wsgi()) as client:
        check_both_eras(client, "/mcp")
        check_progress_is_live(client, "/mcp", world)
        assert client.get("/mcp", headers={"Accept": "text/event-stream"}).status_code in (400, 405)
        evil = {**ADD, "headers": {**ADD["headers"], "Host": "evil.example"}}
        assert client.post("/mcp", **evil).status_code == 403


@pytest.mark.parametrize("serve", WSGI_SERVERS)
def test_a_listener_of_a_wsgi_server_is_told_of_changes(serve: Serve, world: World) -> None:
    with serve(world.server.wsgi(listeners=1)) as client:
        session = open_session(client, "/mcp")
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        with client.stream("GET", "/mcp", headers=headers) as reply:
            assert reply.status_code == 200
            world.server.remove_tool("count")
            assert next(messages(reply))["method"] == "notifications/tools/list_changed"
            assert client.delete("/mcp", headers={"Mcp-Session-Id": session}).is_success


@pytest.mark.parametrize("serve", WSGI_SERVERS)
def test_flask_is_served_beside_it(serve: Serve, world: World) -> None:
    app = flask.Flask("web")

    @app.get("/hello")
    def hello() -> str:
        return "hello from flask"

    app.wsgi_app = world.server.wsgi(  # type: ignore[method-assign]
        fallback=DispatcherMiddleware(app.wsgi_app, {"/tools": world.server.wsgi()})
    )
    with serve(app) as client:
        assert client.get("/hello").text == "hello from flask"
        for at in ("/mcp", "/tools", "/tools/", "/tools/mcp"):
            check_both_eras(client, at)
        check_progress_is_live(client, "/tools", world)


@pytest.mark.parametrize("serve", WSGI_SERVERS)
def test_django_is_served_beside_it_over_wsgi(serve: Serve, world: World) -> None:
    app = world.server.wsgi(fallback=get_wsgi_application())
    with serve(app) as client:
        assert client.get("/hello").text == "hello from django"
        check_both_eras(client, "/mcp")
        check_progress_is_live(client, "/mcp", world)
