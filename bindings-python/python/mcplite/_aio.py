"""Async handlers: on the caller's loop, or on one in the background if there is none."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from os import getpid
from threading import Lock, Thread, get_ident

from ._native import Asked
from .context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future, Task, TimerHandle
    from collections.abc import Callable, Coroutine
    from typing import Any

    from . import _native
    from .server import Server


# Asked for by each call, and to ask the system takes longer than to be told of forks.
_process = getpid()


def _note_fork() -> None:
    global _process
    _process = getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


class Host:
    """A loop that runs the async handlers of one server."""

    __slots__ = ("_is_due", "_is_ours", "_process", "_tasks", "_thread", "_timer", "loop", "server")

    def __init__(
        self, server: Server, loop: AbstractEventLoop, thread: int, *, is_ours: bool = False
    ) -> None:
        self.server = server
        self._is_ours = is_ours
        self.loop = loop
        self._thread = thread
        self._process = _process
        self._tasks: set[Task[None]] = set()
        self._timer: TimerHandle | None = None
        self._is_due = False

    def is_of_this_process(self) -> bool:
        """A thread does not survive a fork."""
        return self._process == _process

    def is_here(self) -> bool:
        """Whether this thread is the loop's."""
        return get_ident() == self._thread

    def wake(self) -> None:
        """Takes the calls that wait, soon. May be called on any thread."""
        if self.is_here():
            self._take()
        elif not self._is_due:
            self._is_due = True
            self.loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._is_due = False
        native = self.server._native
        if self.server._runs_on_loop:
            native.run()
        while (call := native.next_call()) is not None:
            resume = call.take_kept()
            if resume is None:
                self._start(call)
            else:
                resume(call)
        self.keep_time()

    def keep_time(self) -> None:
        """Sees to deadlines: nobody else does, where a session is fed by hand."""
        timeout = self.server._native.timeout_ms
        if timeout is None:
            return
        due = self.loop.time() + timeout / 1000
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = self.loop.call_at(due, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.server._native.tick()
        self.keep_time()

    def _start(self, call: _native.Call) -> None:
        context = Context(call, self.server, host=self)
        task = context._task = self.loop.create_task(_run(context, self._is_ours))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.watch(call, task)

    def watch(self, call: _native.Call, task: Task[Any]) -> None:
        """Cancels the task when the client cancels the call, or its time is over."""
        call.on_cancel(partial(_cancel, self.loop, task))


def _cancel(loop: AbstractEventLoop, task: Task[Any]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(task.cancel)


async def _run(context: Context, is_ours: bool) -> None:
    call = context._call
    try:
        value = await call.invoke(context)
        # The attempt that began this one may be over, and the context has the newest.
        if context._resumption is None:
            context._call.finish(value)
        else:
            context._outcome = partial(_succeed, value)
    except Asked:
        _reply_asked(context._call)
    except asyncio.CancelledError:
        if context._call.is_open:
            context._call.fail("internal", "the handler was cancelled")
        raise
    except (KeyboardInterrupt, SystemExit) as error:
        if is_ours:
            # Nobody waits for our loop: whoever feeds the server is told.
            context._call.fail_with(error)
            return
        if context._call.is_open:
            context._call.fail("internal", "the program that answers is ending")
        raise
    except BaseException as error:
        if _has_only_asked(error):
            _reply_asked(context._call)
        else:
            _answer(context, partial(_fail, error))


def _answer(context: Context, answer: Callable[[_native.Call], None]) -> None:
    """Answers now, or when the client has answered what the handler did not wait for."""
    if context._resumption is None:
        answer(context._call)
    else:
        context._outcome = answer


def _succeed(value: object, call: _native.Call) -> None:
    call.finish(value)


def _fail(error: BaseException, call: _native.Call) -> None:
    call.fail_with(error)


def _has_only_asked(error: BaseException) -> bool:
    """Whether it is a group of tasks that has ended because one of them asked."""
    if not isinstance(error, BaseExceptionGroup):
        return False
    return error.split((Asked, asyncio.CancelledError))[1] is None


def _reply_asked(call: _native.Call) -> None:
    from .errors import MisuseError

    if not call.is_open:
        return
    try:
        call.reply_asked()
    except MisuseError:
        # Nothing has been asked: the handler has raised it on its own account.
        call.fail("internal", "the handler gave no answer")


def resumption(context: Context) -> Future[None]:
    """Ends an attempt of a legacy client; gives a future that is done when the next one begins."""
    host, task = context._host, context._task
    assert host is not None and task is not None
    future: Future[None] = host.loop.create_future()

    def resume(call: _native.Call) -> None:
        # Another loop may have taken the next attempt.
        if host.is_here():
            go_on(call)
        elif not host.loop.is_closed():
            host.loop.call_soon_threadsafe(go_on, call)

    def go_on(call: _native.Call) -> None:
        context._call = call
        context._resumption = None
        if context._outcome is not None:
            _answer_late(call, context._outcome)
            return
        host.watch(call, task)
        if not future.done():
            future.set_result(None)

    call = context._call
    call.keep(resume, partial(_give_up, host.loop, future))
    call.reply_asked()
    host.keep_time()
    return future


def _answer_late(call: _native.Call, answer: Callable[[_native.Call], None]) -> None:
    """Answers with what a handler gave that has ended meanwhile."""
    try:
        answer(call)
    except Exception as error:
        call.fail_with(error)


def _give_up(loop: AbstractEventLoop, future: Future[None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(future.cancel)


def adopt(server: Server) -> Host:
    """Makes the running loop the one that runs a server's async handlers."""
    loop = asyncio.get_running_loop()
    host = server._host
    if host is None or host.loop is not loop or not host.is_of_this_process():
        host = server._host = Host(server, loop, get_ident())
    return host


def host_of(server: Server) -> Host:
    """The loop for a server's async handlers: the one that runs here, the last one, or our own."""
    try:
        return adopt(server)
    except RuntimeError:
        host = server._host
        if host is None or not host.is_of_this_process() or not host.loop.is_running():
            host = server._host = Host(server, *_background(), is_ours=True)
        return host


def waker_of(server: Server) -> Callable[[], None]:
    """What takes the calls of a server that wait, on the loop that is there for them."""

    def wake() -> None:
        host_of(server).wake()

    return wake


_starting = Lock()
_own: tuple[AbstractEventLoop, int, int] | None = None


def _background() -> tuple[AbstractEventLoop, int]:
    """A loop on a thread of ours, started when it is first needed; one for the process."""
    global _own
    with _starting:
        if _own is None or _own[2] != getpid():
            loop = asyncio.new_event_loop()
            ready = Lock()
            ready.acquire()
            thread = Thread(
                target=_run_forever, args=(loop, ready), name="mcplite-loop", daemon=True
            )
            thread.start()
            with ready:
                _own = loop, thread.ident or 0, getpid()
        return _own[:2]


def _run_forever(loop: AbstractEventLoop, ready: Any) -> None:
    asyncio.set_event_loop(loop)
    loop.call_soon(ready.release)
    loop.run_forever()


async def serve(server: Server, start: Callable[[], _native.Serving]) -> None:
    """Serves until it is over; cancelled, the server shuts down and open calls may finish."""
    host = adopt(server)
    loop = host.loop
    serving = start()
    over = loop.create_future()
    serving.on_end(partial(_tell_end, loop, over))
    try:
        await asyncio.shield(over)
    except asyncio.CancelledError:
        server.shutdown()
        await over
        raise
    serving.result()


async def interruptible(served: Coroutine[Any, Any, None]) -> None:
    """Serves until Ctrl-C.

    The loop itself has to hear of the signal: one that comes just before it goes to sleep would
    else be noticed when something else wakes it.
    """
    from contextlib import suppress
    from signal import SIG_IGN, SIGINT, getsignal

    task = asyncio.current_task()
    assert task is not None
    # Whoever started us may have had it ignored.
    if getsignal(SIGINT) is not SIG_IGN:
        # On threads other than the main one there are no signals, and some loops know none.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(SIGINT, task.cancel)
    await served


def _tell_end(loop: AbstractEventLoop, over: Future[None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(_finish, over)


def _finish(over: Future[None]) -> None:
    if not over.done():
        over.set_result(None)
