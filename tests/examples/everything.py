"""What the example "everything" offers, in each era, and how the program itself behaves."""

import base64
import signal
import socket
import struct
import tempfile
import zlib
from pathlib import Path

from bench import contents_of
from client import INFO, LEGACY, META, MODERN, Client, text_of

EXAMPLE = "everything"
CAN_ASK = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
TOOLS = [
    "echo", "add", "countdown", "wait", "cancelled", "part", "media", "fail", "log", "touch",
    "slow", "whoami", "ask_name", "ask_model", "ask_roots",
]


def everything_lists(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        info = client.server_info
        named = info["serverInfo"] if era == LEGACY else info["_meta"][META + "serverInfo"]
        bench.equal("who it is", (named["name"], named["version"], named["title"]),
                    ("everything", "1.0", "Everything"))
        bench.true("how to use it", info["instructions"])
        wanted = {"tools", "resources", "prompts", "completions", "logging"}
        bench.true("what it can", wanted <= set(info["capabilities"]), info["capabilities"])

        tools = {tool["name"]: tool for tool in client.request("tools/list")["tools"]}
        bench.equal("tools", sorted(tools), sorted(TOOLS))
        bench.equal("a title", tools["echo"]["title"], "Echo")
        bench.equal("annotations", tools["echo"]["annotations"]["readOnlyHint"], True)
        bench.equal("icons", tools["echo"]["icons"][0]["mimeType"], "image/svg+xml")
        bench.equal("an output schema", tools["add"]["outputSchema"]["required"], ["sum"])
        uris = [resource["uri"] for resource in client.request("resources/list")["resources"]]
        wanted = ["data://pixel", "file:///readme.txt", "note://latest"]
        bench.equal("resources", sorted(uris), wanted)
        (template,) = client.request("resources/templates/list")["resourceTemplates"]
        bench.equal("template", template["uriTemplate"], "note://{name}")
        (prompt,) = client.request("prompts/list")["prompts"]
        arguments = [(each["name"], each.get("required", False)) for each in prompt["arguments"]]
        bench.equal("prompt", prompt["name"], "greet")
        bench.equal("its arguments", arguments, [("name", True), ("style", False)])


def everything_tools(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        for text in ("h\u00e9llo \U0001f600", "", "a\0b", '"\\\n'):
            bench.equal(f"echo {text!r}", client.text("echo", {"text": text}), text)
        bench.true("echo of a number", client.tool("echo", {"text": 1}).get("isError") is True)
        added = client.tool("add", {"a": 2, "b": 0.5})
        bench.equal("add", (added["structuredContent"], text_of(added)), ({"sum": 2.5}, "2.5"))
        overflow = client.tool("add", {"a": 1e308, "b": 1e308})
        bench.equal("a sum that JSON cannot say", overflow.get("isError"), True)

        bench.equal("countdown", client.text("countdown", {"from": 3}, token="c"), "liftoff")
        steps = [client.told("notifications/progress") for _ in range(3)]
        bench.equal("its progress", [(step["progress"], step["total"]) for step in steps],
                    [(1, 3), (2, 3), (3, 3)])
        bench.true("its messages", all(step["message"] for step in steps), steps)
        bench.equal("countdown unwatched", client.text("countdown", {"from": 10}), "liftoff")
        for wrong in (0, 11, 1.5):
            refused = client.tool("countdown", {"from": wrong})
            bench.true(f"countdown from {wrong}", refused.get("isError") is True, refused)

        failed = client.tool("fail")
        bench.equal("fail", (failed["isError"], text_of(failed)), (True, "it broke"))
        late = client.tool("slow", {"ms": 5000})
        bench.equal("the deadline answers", late["isError"], True)
        bench.true("and says so", "deadline" in text_of(late), late)
        known = client.structured("whoami")
        bench.equal("whoami", known, {"revision": era, "client": INFO, "method": "tools/call"})
        bench.equal("unknown tool", client.error("tools/call", {"name": "nobody"})["code"], -32602)

        result = client.request("everything/echo", {"a": [1, {"b": None}]})
        bench.equal("a method of its own", result["a"], [1, {"b": None}])
        client.request("everything/echo")


def everything_media(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        text, image, audio, embedded, link = client.tool("media")["content"]
        bench.equal("text", text["type"], "text")
        bench.equal("image", (image["type"], image["mimeType"]), ("image", "image/png"))
        check_png(bench, base64.b64decode(image["data"]))
        bench.equal("audio", (audio["type"], audio["mimeType"]), ("audio", "audio/wav"))
        wave = base64.b64decode(audio["data"])
        size = struct.unpack("<I", wave[4:8])[0]
        bench.equal("a wave file", (wave[:4], wave[8:12]), (b"RIFF", b"WAVE"))
        bench.equal("all of it", size, len(wave) - 8)
        bench.equal("embedded", (embedded["type"], embedded["resource"]["text"]),
                    ("resource", "An embedded note."))
        bench.equal("link", (link["type"], link["uri"]), ("resource_link", "file:///readme.txt"))


def check_png(bench, data):
    bench.equal("signature", data[:8], b"\x89PNG\r\n\x1a\n")
    rest, names = data[8:], []
    while rest:
        (size,) = struct.unpack(">I", rest[:4])
        (check,) = struct.unpack(">I", rest[8 + size : 12 + size])
        bench.equal("checksum", zlib.crc32(rest[4 : 8 + size]), check)
        names.append(rest[4:8])
        rest = rest[12 + size :]
    bench.equal("chunks", names, [b"IHDR", b"IDAT", b"IEND"])


def everything_log(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        params = {"name": "log", "arguments": {}}
        levels = ["debug", "info", "warning"]
        if era == MODERN:
            bench.equal("unasked", text_of(client.request("tools/call", params)), "logged")
            client.request("tools/call", params, {META + "logLevel": "debug"})
        else:
            client.request("logging/setLevel", {"level": "debug"})
            client.request("tools/call", params)
        messages = [client.told("notifications/message") for _ in levels]
        bench.equal("levels", [message["level"] for message in messages], levels)
        bench.equal("as text", messages[0]["data"], "in detail")
        bench.equal("as JSON", messages[2]["data"], {"free": 7, "unit": "MB"})


def everything_cancel(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        bench.equal("none yet", client.text("cancelled"), "0")
        waits = [client.start_tool("wait", token=token) for token in ("w1", "w2")]
        for _ in waits:
            bench.equal("is held", client.told("notifications/progress")["message"], "waiting")
        for number, wait in enumerate(waits, 1):
            client.cancel(wait)
            count = "none"
            for _ in range(10000):  # the handler hears of it on a thread of its own
                count = client.text("cancelled")
                if count == str(number):
                    break
            bench.equal("the handler hears of it", count, str(number))

    with bench.program(EXAMPLE) as program:
        client = program.client(era)
        client.start_tool("wait", token="w")
        client.told("notifications/progress")
        code, errors = program.end()
        bench.equal("a held call does not keep the program", (code, errors), (0, ""))


def everything_resources(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        def read(uri):
            return contents_of(client.request("resources/read", {"uri": uri}))

        readme = {"uri": "file:///readme.txt", "mimeType": "text/plain", "text": "Read me."}
        bench.equal("static text", read("file:///readme.txt"), readme)
        pixel = read("data://pixel")
        bench.equal("static bytes", pixel["mimeType"], "image/png")
        check_png(bench, base64.b64decode(pixel["blob"]))
        bench.equal("dynamic", read("note://latest")["text"], "nothing yet")
        bench.equal("template", read("note://some%20day")["text"], "note some day")
        missing = client.error("resources/read", {"uri": "file:///nowhere"})
        bench.equal("missing", missing["code"], -32002 if era == LEGACY else -32602)


def everything_prompts(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        arguments = {"name": "Ada", "style": "funny"}
        given = client.request("prompts/get", {"name": "greet", "arguments": arguments})
        bench.true("description", given["description"])
        said = [(message["role"], message["content"]["text"]) for message in given["messages"]]
        wanted = [("user", "Write a funny greeting for Ada."), ("assistant", "Dear Ada,")]
        bench.equal("messages", said, wanted)
        missing = client.error("prompts/get", {"name": "greet"})
        bench.equal("missing argument", missing["code"], -32602)

        def complete(ref, name, value):
            params = {"ref": ref, "argument": {"name": name, "value": value}}
            return client.request("completion/complete", params)["completion"]["values"]

        prompt = {"type": "ref/prompt", "name": "greet"}
        template = {"type": "ref/resource", "uri": "note://{name}"}
        bench.equal("styles", complete(prompt, "style", ""), ["formal", "friendly", "funny"])
        bench.equal("some styles", complete(prompt, "style", "f"), ["formal", "friendly", "funny"])
        bench.equal("one style", complete(prompt, "style", "fr"), ["friendly"])
        bench.equal("notes", complete(template, "name", "b"), ["beta"])
        bench.equal("no note", complete(template, "name", "x"), [])


def everything_changes(bench, era):
    with bench.conversation(EXAMPLE, era) as client:
        tags = {}
        if era == LEGACY:
            client.request("resources/subscribe", {"uri": "note://latest"})
        else:
            wanted = {"toolsListChanged": True, "resourceSubscriptions": ["note://latest"]}
            listen = client.start("subscriptions/listen", {"notifications": wanted})
            client.told("notifications/subscriptions/acknowledged")
            tags = {"_meta": {META + "subscriptionId": listen}}
        touches = [("registered late", True), ("unregistered late", False)]
        for count, (said, there) in enumerate(touches, 1):
            bench.equal("touch", client.text("touch"), said)
            updated = client.told("notifications/resources/updated")
            bench.equal("the note is told", updated, {"uri": "note://latest"} | tags)
            bench.equal("the tools are told", client.told("notifications/tools/list_changed"), tags)
            note = contents_of(client.request("resources/read", {"uri": "note://latest"}))
            bench.equal("the note", note["text"], f"touched {count} times")
            names = [tool["name"] for tool in client.request("tools/list")["tools"]]
            bench.equal("the tools", "late" in names, there)
            if there:
                bench.equal("late", client.text("late"), "better than never")
        if era == LEGACY:
            client.request("resources/unsubscribe", {"uri": "note://latest"})
            client.tool("touch")
            client.told("notifications/tools/list_changed")
        else:
            client.cancel(listen)
            client.tool("touch")


def everything_asks(bench, era):
    asked = []

    def respond(method, params):
        asked.append((method, params))
        if method == "roots/list":
            return {"roots": [{"uri": "file:///home/ada", "name": "home"}, {"uri": "file:///tmp"}]}
        if method == "sampling/createMessage":
            return {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"}
        if len(asked) == 1:
            return {"action": "accept", "content": {"name": 7}}
        return {"action": "accept", "content": {"name": "Ada"}}

    with bench.conversation(EXAMPLE, era, CAN_ASK) as client:
        bench.equal("asks the user", client.text_asking("ask_name", respond), "Hello, Ada!")
        methods = [method for method, _ in asked]
        bench.equal("again if it does not fit", methods, ["elicitation/create"] * 2)
        bench.equal("with a form", asked[0][1]["requestedSchema"]["required"], ["name"])
        no = client.text_asking("ask_name", lambda method, params: {"action": "decline"})
        bench.equal("who may decline", no, "declined")
        bench.equal("asks the model", client.text_asking("ask_model", respond), "Paris")
        sampling = asked[-1][1]
        bench.equal("with one message", len(sampling["messages"]), 1)
        bench.equal("with a limit", sampling["maxTokens"], 100)
        roots = client.text_asking("ask_roots", respond)
        bench.equal("asks for folders", roots, "2 roots: file:///home/ada")
        none = client.text_asking("ask_roots", lambda method, params: {"roots": []})
        bench.equal("of which there may be none", none, "0 roots")

    with bench.conversation(EXAMPLE, era) as client:
        for name in ("ask_name", "ask_model", "ask_roots"):
            message = client.answer(client.start_tool(name))
            if era == MODERN:
                bench.equal(f"{name} without the capability", message["error"]["code"], -32021)
            else:
                bench.equal(f"{name} without the capability", message["result"]["isError"], True)


def everything_verbose(bench):
    with bench.program(EXAMPLE, "--verbose") as program:
        client = program.client(LEGACY)
        client.tool("echo", {"text": "hi"})
        code, errors = program.end()
        bench.equal("exit code", code, 0)
        for event in ("received method=tools/call ", "tool method=- name=echo ", "closed "):
            bench.true(f"the observer tells of {event}", event in errors, errors)


def everything_usage(bench):
    with bench.program(EXAMPLE, "--nonsense") as program:
        code, errors = program.end()
        bench.equal("a wrong option", (code, errors.startswith("usage:")), (2, True))


def talk_over_socket(bench, address, connect):
    with bench.program(EXAMPLE, "--socket", address) as program:
        line = program.error_line()
        bench.true("says where it listens", line.startswith("listening on "), line)
        where = line.removeprefix("listening on ").strip()
        sockets = [connect(where) for _ in range(2)]
        clients = [
            Client(each.makefile("rb"), each.makefile("wb"), era)
            for each, era in zip(sockets, (LEGACY, MODERN))
        ]
        for number, client in enumerate(clients):
            bench.equal("talks to each", client.text("echo", {"text": str(number)}), str(number))
        bench.equal("one server behind all", clients[0].text("touch"), "registered late")
        bench.equal("for each of them", clients[1].text("late"), "better than never")
        sockets[0].shutdown(socket.SHUT_WR)
        clients[0].told("notifications/tools/list_changed")
        bench.equal("one may go", clients[0].rest(), [])
        bench.equal("the other stays", clients[1].text("echo", {"text": "still"}), "still")
        program.process.send_signal(signal.SIGTERM)
        code, errors = program.wait()
        bench.equal("ends when told to", (code, errors), (0, ""))
        for each in sockets:
            each.close()


def everything_over_tcp(bench):
    def connect(where):
        host, port = where.rsplit(":", 1)
        return socket.create_connection((host, int(port)))

    talk_over_socket(bench, "127.0.0.1:0", connect)


def everything_over_unix_socket(bench):
    def connect(where):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
        return connection

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "everything.sock")
        talk_over_socket(bench, path, connect)


IN_ERAS = (
    everything_lists, everything_tools, everything_media, everything_log, everything_cancel,
    everything_resources, everything_prompts, everything_changes, everything_asks,
)
ONCE = (
    everything_verbose, everything_usage, everything_over_tcp, everything_over_unix_socket,
)
