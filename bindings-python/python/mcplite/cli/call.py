"""`mcplite call`: calls a tool, reads a resource or gets a prompt."""

from __future__ import annotations

import json
import sys

from mcplite.cli.terminal import (
    EXIT_FAILED,
    EXIT_OK,
    EXIT_USAGE,
    Failure,
    note,
    styled,
    write_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from mcplite.testing import Client

_DESCRIPTION = """\
Calls a tool of the server and prints what it gives: text to standard output, and its progress, logs
and errors to standard error. Without a tool, lists what can be called.

Values are read as the tool's schema asks: numbers, true and false, and JSON for arrays and objects.
key:=json is JSON in any case; a key that stands twice makes an array."""

_EXAMPLES = """\
examples:
  mcplite call server.py                            what can be called
  mcplite call server.py add a=1 b=2
  mcplite call server.py search query=cats tags=a tags=b filter:='{"year": 2026}'
  mcplite call server.py search --json '{"query": "cats"}'
  mcplite call server.py add a=1 b=2 --structured
  mcplite call server.py --resource config://main
  mcplite call server.py --prompt review code='x = 1'
"""


def execute(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments."""
    from mcplite.cli.connection import add_era
    from mcplite.cli.parsing import Namespace, Parser

    parser = Parser("call", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("target", metavar="file.py[:server]", help="the file or module to use")
    parser.add_argument("words", nargs="*", metavar="tool key=value …", help="what is called")
    parser.add_argument("--json", metavar="OBJECT", help="all arguments at once; - reads stdin")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--resource", metavar="URI", help="read this resource instead")
    what.add_argument("--prompt", metavar="NAME", help="get this prompt instead")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--structured", action="store_true", help="print structured content as JSON")
    how.add_argument("--raw", action="store_true", help="print the whole result as JSON")
    add_era(parser)
    options = parser.parse(arguments, Namespace())
    return _call(options)


def _call(options: Namespace) -> int:
    from mcplite.cli.connection import connect
    from mcplite.cli.quiet import Quiet
    from mcplite.cli.target import Target
    from mcplite.errors import McpError

    with Quiet():
        server = Target(options.target).load()
        client = connect(server, options.era)
        try:
            kind, result = _perform(client, options)
        except McpError as error:
            raise _refusal(error, client, options) from None
        finally:
            client.close()
    if kind == "menu":
        for line in _menu(result, options.target):
            print(line)
        return EXIT_OK
    return _show(kind, result, options)


def _perform(client: Client, options: Namespace) -> tuple[str, Any]:
    from mcplite.cli.arguments import read_arguments
    from mcplite.cli.connection import catalog

    words: list[str] = options.words
    if options.resource is not None:
        if words or options.json is not None:
            raise Failure("a resource takes no arguments", hint="its URI is all", code=EXIT_USAGE)
        return "resource", client.read(options.resource).raw
    if options.prompt is not None:
        schema = {"additionalProperties": {"type": "string"}}
        arguments = read_arguments(words, schema, options.json)
        return "prompt", client.get_prompt(options.prompt, **arguments).raw
    if not words:
        return "menu", catalog(client)
    name = words[0]
    tools = {tool["name"]: tool for tool in client.list_tools()} if _has(client, "tools") else {}
    if name not in tools:
        raise _unknown("tool", name, list(tools), options)
    arguments = read_arguments(words[1:], tools[name].get("inputSchema"), options.json)
    return "tool", client.call_tool(name, arguments).raw


def _has(client: Client, kind: str) -> bool:
    return kind in client.server_capabilities


def _menu(lists: dict[str, list[dict[str, Any]]], target: str) -> Iterator[str]:
    from mcplite.cli.schema import fields

    begin = f"mcplite call {target}"
    for tool in lists["tools"]:
        words = [begin, tool["name"]]
        for name, field, is_required in fields(tool.get("inputSchema")):
            word = f"{name}={field.label.replace(' ', '-')}"
            words.append(word if is_required else f"[{word}]")
        yield from _item(words, tool)
    for item in lists["resources"]:
        yield from _item([begin, "--resource", item["uri"]], item)
    for item in lists["resourceTemplates"]:
        words = [begin, "--resource", f"'{item['uriTemplate']}'"]
        yield from _item(words, item)
    for item in lists["prompts"]:
        words = [begin, "--prompt", item["name"]]
        for argument in item.get("arguments") or ():
            word = f"{argument['name']}=…"
            words.append(word if argument.get("required") else f"[{word}]")
        yield from _item(words, item)
    if not any(lists.values()):
        yield f"There is nothing to call in {target} yet."


def _item(words: list[str], item: dict[str, Any]) -> Iterator[str]:
    from mcplite.cli.inspection import first_line

    yield " ".join(words)
    about = first_line(item.get("description", ""))
    if about:
        yield f"    {styled(about, 'dim', sys.stdout)}"


def _unknown(what: str, name: str, known: list[str], options: Namespace) -> Failure:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    hint = f"see what there is: mcplite call {options.target}"
    if close:
        hint = f"did you mean {close[0]}? {hint}"
    elif "=" in name:
        hint = f"the name of the tool comes before its arguments; {hint}"
    return Failure(f"there is no {what} {name!r}", hint=hint, code=EXIT_USAGE)


def _refusal(error: Any, client: Client, options: Namespace) -> Failure:
    """What the server answered instead of a result; a wrong name is the user's mistake."""
    if options.prompt is not None and _has(client, "prompts"):
        names = [prompt["name"] for prompt in client.list_prompts()]
        if options.prompt not in names:
            return _unknown("prompt", options.prompt, names, options)
    return Failure(f"{error.message} (code {error.code})", code=EXIT_FAILED)


def _show(kind: str, result: dict[str, Any], options: Namespace) -> int:
    is_error = result.get("isError") is True
    if options.raw:
        _print_json(result)
    elif options.structured and not is_error:
        if "structuredContent" not in result:
            raise Failure(f"the {kind} gave no structured content", hint="leave out --structured")
        _print_json(result["structuredContent"])
    elif kind == "resource":
        for contents in result.get("contents", []):
            _show_contents(contents)
    elif kind == "prompt":
        for message in result.get("messages", []):
            label = styled(f"{message['role']}:", "cyan", sys.stdout)
            print(f"{label} {_text_of(message['content'])}")
    else:
        for block in result.get("content", []):
            text = _text_of(block)
            if is_error:
                write_error(styled(text, "red", sys.stderr))
            else:
                print(text)
    return EXIT_FAILED if is_error else EXIT_OK


def _print_json(value: Any) -> None:
    indent = 2 if sys.stdout.isatty() else None
    print(json.dumps(value, indent=indent, ensure_ascii=False))


def _text_of(block: dict[str, Any]) -> str:
    """A block of content as a line of text, or as a note of what it is."""
    match block.get("type"):
        case "text":
            return str(block["text"])
        case "resource":
            contents = block["resource"]
            if "text" in contents:
                return str(contents["text"])
            return f"[{contents['uri']}: {_size(contents.get('blob', ''))}]"
        case "resource_link":
            return f"{block.get('title') or block['name']}: {block['uri']}"
        case "image" | "audio" as kind:
            return f"[{kind}, {block.get('mimeType')}: {_size(block.get('data', ''))}]"
        case _:
            return json.dumps(block, ensure_ascii=False)


def _size(encoded: str) -> str:
    return f"{len(encoded) * 3 // 4 - encoded[-2:].count('=')} bytes"


def _show_contents(contents: dict[str, Any]) -> None:
    is_terminal = sys.stdout.isatty()
    if "text" in contents:
        text: str = contents["text"]
        sys.stdout.write(text + "\n" if is_terminal and not text.endswith("\n") else text)
        return
    if is_terminal:
        what = f"{contents.get('mimeType', 'binary')}, {_size(contents.get('blob', ''))}"
        note(f"{contents['uri']} is {what}: send the output to a file")
        return
    from binascii import a2b_base64

    sys.stdout.flush()
    sys.stdout.buffer.write(a2b_base64(contents.get("blob", "")))
    sys.stdout.buffer.flush()
