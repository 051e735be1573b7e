"""What `mcplite dev` remembers of a conversation for the next server."""

from __future__ import annotations

import json
from typing import Any

from mcplite.cli.conversation import Conversation
from mcplite.cli.terminal import table
from mcplite.cli.watch import Watcher, imported_files


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def greeted() -> Conversation:
    talk = Conversation()
    talk.client_says(line(id=0, method="initialize", params={"protocolVersion": "2025-11-25"}))
    capabilities = {"tools": {"listChanged": True}, "prompts": {}}
    talk.server_says(line(id=0, result={"capabilities": capabilities}))
    talk.client_says(line(method="notifications/initialized"))
    return talk


def told(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(one) for one in lines]


def test_a_new_server_hears_the_handshake_and_the_client_nothing_of_it() -> None:
    talk = greeted()
    hello, initialized = told(talk.replay())
    assert hello["method"] == "initialize"
    assert hello["params"] == {"protocolVersion": "2025-11-25"}
    assert initialized["method"] == "notifications/initialized"
    assert not talk.is_greeted
    assert not talk.server_says(line(id=hello["id"], result={"capabilities": {}}))
    assert talk.is_greeted


def test_a_handshake_that_failed_is_not_repeated() -> None:
    talk = Conversation()
    talk.client_says(line(id=0, method="initialize", params={}))
    talk.server_says(line(id=0, error={"code": -32602, "message": "no"}))
    assert talk.replay() == []
    assert talk.is_greeted


def test_only_lists_that_were_announced_are_told_as_changed() -> None:
    talk = greeted()
    assert [message["method"] for message in told(talk.announce())] == [
        "notifications/tools/list_changed"
    ]
    assert Conversation().announce() == []


def test_the_log_level_and_watched_resources_are_repeated() -> None:
    talk = greeted()
    talk.client_says(line(id=1, method="logging/setLevel", params={"level": "debug"}))
    talk.server_says(line(id=1, result={}))
    for number, uri in ((2, "a://1"), (3, "a://2")):
        talk.client_says(line(id=number, method="resources/subscribe", params={"uri": uri}))
        talk.server_says(line(id=number, result={}))
    talk.client_says(line(id=4, method="resources/unsubscribe", params={"uri": "a://1"}))
    talk.server_says(line(id=4, result={}))
    _, _, level, watched = told(talk.replay())
    assert level["params"] == {"level": "debug"}
    assert (watched["method"], watched["params"]) == ("resources/subscribe", {"uri": "a://2"})
    assert not talk.server_says(line(id=level["id"], result={}))
    assert not talk.server_says(line(id=watched["id"], result={}))


def test_requests_are_open_until_they_are_answered_or_cancelled() -> None:
    talk = greeted()
    talk.client_says(line(id=1, method="tools/call"))
    talk.client_says(line(id="1", method="tools/call"))
    assert not talk.is_idle
    talk.server_says(line(id=1, result={}))
    assert not talk.is_idle
    assert talk.concerns_present(line(method="notifications/cancelled", params={"requestId": "1"}))
    talk.client_says(line(method="notifications/cancelled", params={"requestId": "1"}))
    assert talk.is_idle
    assert not talk.concerns_present(
        line(method="notifications/cancelled", params={"requestId": "1"})
    )


def test_what_a_server_leaves_open_is_answered_with_an_error() -> None:
    talk = greeted()
    talk.client_says(line(id=7, method="tools/call"))
    [answer] = told(talk.abandon("gone"))
    assert answer["id"] == 7
    assert answer["error"] == {"code": -32603, "message": "Internal error: gone"}
    assert talk.is_idle


def test_an_answer_to_a_server_that_is_gone_is_dropped() -> None:
    talk = greeted()
    assert talk.server_says(line(id=1, method="elicitation/create"))
    assert talk.concerns_present(line(id=1, result={}))
    talk.abandon("gone")
    assert not talk.client_says(line(id=1, result={}))
    talk.server_says(line(id=1, method="elicitation/create"))
    assert talk.client_says(line(id=1, result={}))
    assert not talk.client_says(line(id=1, result={}))


def test_a_listen_stream_goes_on_and_is_acknowledged_once() -> None:
    talk = Conversation()
    wanted = {"toolsListChanged": True, "promptsListChanged": False}
    talk.client_says(line(id="s", method="subscriptions/listen", params={"notifications": wanted}))
    tag = {"io.modelcontextprotocol/subscriptionId": "s"}
    acknowledged = line(method="notifications/subscriptions/acknowledged", params={"_meta": tag})
    assert talk.server_says(acknowledged)
    assert talk.is_idle
    assert talk.abandon("gone") == []
    [again] = told(talk.replay())
    assert again["id"] == "s"
    assert not talk.server_says(acknowledged)
    assert talk.server_says(acknowledged)
    assert told(talk.announce()) == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": tag},
        }
    ]
    talk.client_says(line(method="notifications/cancelled", params={"requestId": "s"}))
    assert talk.replay() == []


def test_batches_and_what_is_no_message_pass() -> None:
    talk = greeted()
    one, two = {"id": 1, "method": "ping"}, {"id": 2, "method": "ping"}
    assert talk.client_says(json.dumps([one, two]).encode())
    assert not talk.is_idle
    assert talk.server_says(json.dumps([{"id": 1, "result": {}}, {"id": 2, "result": {}}]).encode())
    assert talk.is_idle
    assert talk.client_says(b"{")
    assert talk.client_says(b"[" * 100_000)
    assert talk.server_says(b"7")
    answers = told(talk.refuse(json.dumps([one, {"method": "x"}]).encode(), "none"))
    assert [answer["id"] for answer in answers] == [1]


def test_a_watcher_names_what_has_changed_once(tmp_path: Any) -> None:
    file, gone = tmp_path / "a.py", tmp_path / "b.py"
    file.write_text("1")
    gone.write_text("1")
    watcher = Watcher([str(file)])
    watcher.add_folder(str(tmp_path))
    assert watcher.changed() == []
    file.write_text("22")
    gone.unlink()
    assert watcher.changed() == [str(file)]
    assert watcher.changed() == []
    gone.write_text("22")
    assert watcher.changed() == [str(gone)]


def test_only_files_of_the_project_are_watched() -> None:
    class Module:
        def __init__(self, file: str | None) -> None:
            self.__file__ = file

    modules = [
        Module("/p/a.py"),
        Module("/p/.venv/lib/site-packages/x.py"),
        Module("/project/b.py"),
        Module(None),
    ]
    assert imported_files(modules, "/p") == {"/p/a.py"}


class Wide:
    def isatty(self) -> bool:
        return False


def test_a_table_is_aligned_wrapped_and_without_empty_columns() -> None:
    rows = [("a", "", "first"), ("long name", "", "word " * 40)]
    lines = table(rows, stream=Wide())  # type: ignore[arg-type]
    assert lines[0] == "  a          first"
    assert lines[1].startswith("  long name  word word")
    assert max(map(len, lines)) <= 120
    assert len(lines) == 3
    assert table([], stream=Wide()) == []  # type: ignore[arg-type]
