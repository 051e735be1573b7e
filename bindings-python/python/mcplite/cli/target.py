"""Finding the server in `file.py[:server]` or `package.module[:server]`."""

from __future__ import annotations

import os
import sys

from mcplite.cli.terminal import EXIT_UNLOADABLE, EXIT_USAGE, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType, TracebackType
    from typing import Any

    from mcplite import Server

_PROJECT_SIGNS = ("pyproject.toml", "setup.py", ".git")
_STARTERS = ("run", "run_http", "serve_stdio", "serve_http")


class Target:
    """Where a server is: a file or a module, and perhaps the name that it has there."""

    def __init__(self, text: str) -> None:
        place, attribute = _split(text)
        self.text = text
        self.attribute = attribute
        self.is_file = place.endswith((".py", ".pyw")) or os.sep in place or os.path.isfile(place)
        self.place = os.path.abspath(place) if self.is_file else place
        if self.is_file:
            self._check_file(place)
        elif not all(part.isidentifier() for part in place.split(".")):
            raise Failure(
                f"{text!r} is neither a file nor a module",
                hint="write file.py, file.py:server, package.module or package.module:server",
                code=EXIT_USAGE,
            )

    def _check_file(self, place: str) -> None:
        if os.path.isdir(self.place):
            raise Failure(
                f"{place} is a folder", hint="name the file with the server", code=EXIT_UNLOADABLE
            )
        if not os.path.exists(self.place):
            raise Failure(
                f"there is no file {place}",
                hint=f"looked in {os.path.dirname(self.place)}",
                code=EXIT_UNLOADABLE,
            )

    @property
    def label(self) -> str:
        """What a person calls the file or module."""
        return os.path.basename(self.place) if self.is_file else self.place

    @property
    def stem(self) -> str:
        """The last part of the name, without its ending."""
        if self.is_file:
            return os.path.splitext(os.path.basename(self.place))[0]
        return self.place.rpartition(".")[2]

    @property
    def folder(self) -> str:
        """The folder that comes first when the file imports something."""
        return os.path.dirname(self.place) if self.is_file else os.getcwd()

    @property
    def root(self) -> str:
        """The project that the file belongs to: the nearest folder that looks like one."""
        folder = self.folder
        while True:
            if any(os.path.exists(os.path.join(folder, sign)) for sign in _PROJECT_SIGNS):
                return folder
            above = os.path.dirname(folder)
            if above == folder:
                return self.folder
            folder = above

    def load(self) -> Server:
        """Imports the file or module and gives its server; Failure says what is wrong."""
        import mcplite

        loading = _Loading(mcplite.Server)
        try:
            with loading:
                module = self._import()
        except _Started as started:
            if self.attribute is None:
                return started.server
            found = loading.module_of(self)
            if found is None:
                return started.server
            module = found
        except Failure:
            raise
        except KeyboardInterrupt:
            raise
        except SystemExit as end:
            reason = f": {end.code}" if isinstance(end.code, str) else ""
            raise Failure(
                f"{self.label} ended the program while it was loaded{reason}",
                hint='put what should only happen in a script under `if __name__ == "__main__":`',
                code=EXIT_UNLOADABLE,
            ) from None
        except BaseException as error:
            raise self._unloadable(error) from None
        return self._choose(module, mcplite.Server)

    def _import(self) -> ModuleType:
        if self.folder not in sys.path[:1]:
            sys.path.insert(0, self.folder)
        if not self.is_file:
            return self._import_module()
        from importlib.machinery import ModuleSpec, SourceFileLoader

        name = self.stem if self.stem not in sys.modules else f"mcplite_target_{self.stem}"
        loader = SourceFileLoader(name, self.place)
        spec = ModuleSpec(name, loader, origin=self.place)
        spec.has_location = True
        module = type(sys)(name)
        module.__file__ = self.place
        module.__loader__ = loader
        module.__spec__ = spec
        sys.modules[name] = module
        loader.exec_module(module)
        return module

    def _import_module(self) -> ModuleType:
        from importlib.util import find_spec, module_from_spec

        try:
            spec = find_spec(self.place)
        except ModuleNotFoundError as error:
            if not f"{self.place}.".startswith(f"{error.name}."):
                raise
            spec = None
        if spec is None or spec.loader is None:
            raise Failure(
                f"there is no module {self.place}",
                hint=f"looked in {self.folder} and in what {sys.executable} has installed",
                code=EXIT_UNLOADABLE,
            )
        if self.place in sys.modules:
            return sys.modules[self.place]
        module = module_from_spec(spec)
        sys.modules[self.place] = module
        spec.loader.exec_module(module)
        return module

    def _unloadable(self, error: BaseException) -> Failure:
        from traceback import TracebackException, walk_tb

        files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
        if isinstance(error, SyntaxError) and error.filename:
            files.append(error.filename)
        trimmed = error.with_traceback(_trim(error.__traceback__))
        told = TracebackException.from_exception(trimmed)
        lines = list(told.format())
        last = next(iter(told.format_exception_only())).strip()
        if isinstance(error, SyntaxError):
            last = f"{type(error).__name__}: {error.msg} (line {error.lineno})"
        hint = None
        if isinstance(error, ImportError) and "relative import" in str(error):
            hint = f"{self.label} is part of a package: name it as package.{self.stem}"
        elif isinstance(error, ModuleNotFoundError) and error.name:
            hint = f"{error.name} is not installed for {sys.executable}"
        return Failure(
            f"cannot load {self.label}: {last}",
            hint=hint,
            detail="".join(lines),
            code=EXIT_UNLOADABLE,
            files=[name for name in files if os.path.isfile(name)],
        )

    def _choose(self, module: ModuleType, kind: type[Server]) -> Server:
        if self.attribute is not None:
            return self._named(module, self.attribute, kind)
        found = dict(_servers(vars(module), kind))
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            factories = [
                name
                for name, value in vars(module).items()
                if getattr(value, "__module__", None) == module.__name__ and _returns(value, kind)
            ]
            hint = f"write `server = {kind.__name__}(…)` at the top level of the file"
            if factories:
                hint = f"to call a function that makes one: {self._suggest(factories)}"
            raise Failure(f"there is no server in {self.label}", hint=hint, code=EXIT_UNLOADABLE)
        raise Failure(
            f"there are {len(found)} servers in {self.label}: {', '.join(found)}",
            hint=f"say which one: {self._suggest(list(found))}",
            code=EXIT_UNLOADABLE,
        )

    def _named(self, module: ModuleType, attribute: str, kind: type[Server]) -> Server:
        value: Any = module
        for part in attribute.split("."):
            try:
                value = getattr(value, part)
            except AttributeError:
                names = [name for name, _ in _servers(vars(module), kind)]
                raise Failure(
                    f"there is no {attribute!r} in {self.label}",
                    hint=f"servers there: {', '.join(names)}" if names else "nor any server at all",
                    code=EXIT_UNLOADABLE,
                ) from None
        if callable(value) and not isinstance(value, kind):
            value = self._make(value, attribute)
        if not isinstance(value, kind):
            raise Failure(
                f"{attribute} in {self.label} is no server but {_article(type(value).__name__)}",
                hint="name a server, or a function without parameters that returns one",
                code=EXIT_UNLOADABLE,
            )
        return value

    def _make(self, factory: Any, attribute: str) -> Any:
        try:
            value = factory()
        except Exception as error:
            failure = self._unloadable(error)
            reason = f"{type(error).__name__}: {error}"
            failure.message = f"{attribute}() in {self.label} failed: {reason}"
            raise failure from None
        if hasattr(value, "__await__"):
            from asyncio import run

            async def wait() -> Any:
                return await value

            value = run(wait())
        return value

    def _suggest(self, names: list[str]) -> str:
        place = self.text.removesuffix(f":{self.attribute}") if self.attribute else self.text
        return " or ".join(f"{place}:{name}" for name in names[:5])


class _Started(BaseException):
    """A file that is being loaded wants to serve: it is over with loading."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server


class _Loading:
    """While it holds, a file that starts its server only says by that which one it means."""

    def __init__(self, kind: type[Server]) -> None:
        self._kind = kind
        self._kept: dict[str, Any] = {}

    def __enter__(self) -> None:
        def start(server: Server, *_arguments: object, **_options: object) -> None:
            raise _Started(server)

        for name in _STARTERS:
            self._kept[name] = getattr(self._kind, name)
            setattr(self._kind, name, start)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for name, function in self._kept.items():
            setattr(self._kind, name, function)

    @staticmethod
    def module_of(target: Target) -> ModuleType | None:
        """The module of a target whose loading ended early."""
        for module in reversed(list(sys.modules.values())):
            if target.is_file and getattr(module, "__file__", None) == target.place:
                return module
        return sys.modules.get(target.place)


def _split(text: str) -> tuple[str, str | None]:
    place, colon, attribute = text.rpartition(":")
    if colon and place and all(part.isidentifier() for part in attribute.split(".")):
        return place, attribute
    if colon and place and not attribute:
        return place, None
    return text, None


def _servers(namespace: dict[str, Any], kind: type[Server]) -> Iterator[tuple[str, Server]]:
    seen: set[int] = set()
    for name, value in list(namespace.items()):
        if isinstance(value, kind) and id(value) not in seen:
            seen.add(id(value))
            yield name, value


def _returns(value: object, kind: type[Server]) -> bool:
    hints = getattr(value, "__annotations__", None)
    if not isinstance(hints, dict) or isinstance(value, type):
        return False
    result = hints.get("return")
    return result is kind or (
        isinstance(result, str) and result.rpartition(".")[2] == kind.__name__
    )


def _trim(traceback: TracebackType | None) -> TracebackType | None:
    """Without our own frames at either end, so that what is left is the user's."""
    from importlib.util import find_spec

    found = find_spec("mcplite")
    ours = tuple(found.submodule_search_locations or ()) if found else ()
    while traceback is not None and _is_within(traceback, (*ours, "<frozen importlib")):
        traceback = traceback.tb_next
    last, frame = traceback, traceback
    while frame is not None:
        if not _is_within(frame, ours):
            last = frame
        frame = frame.tb_next
    if last is not None:
        last.tb_next = None
    return traceback


def _is_within(traceback: TracebackType, places: tuple[str, ...]) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(places)


def _article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
