"""What the server offers, and what it answers when it is asked once."""

import asyncio
import base64
import tempfile
from pathlib import Path

from mcp import types
from pydantic import ConfigDict

from conversation import CLIENT, Mismatch, error, expect, expect_in, text, tool_names

TOOLS = ["echo", "add", "countdown", "wait", "cancelled", "part", "media", "fail", "log",
         "ask_name", "ask_model", "ask_roots", "touch", "slow", "whoami"]
PNG = b"\x89PNG\r\n\x1a\n"
INVALID_PARAMS = -32602
RESOURCE_NOT_FOUND = -32002


async def opening(talk):
    async with talk.client() as client:
        expect("revision", client.protocol_version, talk.revision)
        expect("server", (client.server_info.name, client.server_info.version),
               ("everything", "1.0"))
        expect_in("instructions", "echo", client.instructions)
        offered = client.server_capabilities.model_dump(by_alias=True, exclude_none=True)
        expect("tools", offered["tools"], {"listChanged": True})
        expect("resources", offered["resources"], {"subscribe": True, "listChanged": True})
        for capability in ("prompts", "completions", "logging"):
            expect_in("capability", capability, offered)


async def ping(talk):
    async with talk.client() as client:
        expect("pong", (await client.send_ping()).model_dump(exclude_none=True), {})


async def closing(talk):
    """When the client goes, the server ends by itself and in peace."""
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder, "status")
        watched = ["/bin/sh", "-c", '"$0"; echo $? > "$1"', talk.binary, str(status)]
        async with talk.client(watched) as client:
            expect("echo", await text(client, "echo", {"text": "bye"}), "bye")
        if not status.exists():
            raise Mismatch("the server did not end when its input did")
        expect("exit status", status.read_text().strip(), "0")


async def tools_list(talk):
    async with talk.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        expect("tools", sorted(tools), sorted(TOOLS))
        expect("echo", tools["echo"].input_schema["properties"]["text"]["type"], "string")
        expect("add", tools["add"].output_schema["properties"]["sum"]["type"], "number")
        countdown = tools["countdown"].input_schema["properties"]["from"]
        expect("countdown", (countdown["minimum"], countdown["maximum"]), (1, 10))
        undescribed = [tool.name for tool in tools.values() if not tool.description]
        expect("without a description", undescribed, [])


async def adornments(talk):
    """What is for people to look at: titles, hints and icons."""
    async with talk.client() as client:
        expect("server", client.server_info.title, "Everything")
        expect("icons of the server", len(client.server_info.icons), 1)
        echo = next(tool for tool in (await client.list_tools()).tools if tool.name == "echo")
        expect("title", echo.title, "Echo")
        expect("hint", echo.annotations.read_only_hint, True)
        expect("icon", echo.icons[0].mime_type, "image/svg+xml")
        expect("meta", echo.meta, {"com.example/rank": 1})


async def resources_list(talk):
    async with talk.client() as client:
        resources = (await client.list_resources()).resources
        expect("resources", sorted(str(resource.uri) for resource in resources),
               ["data://pixel", "file:///readme.txt", "note://latest"])
        mime_types = {str(resource.uri): resource.mime_type for resource in resources}
        expect("pixel", mime_types["data://pixel"], "image/png")
        templates = (await client.list_resource_templates()).resource_templates
        expect("templates", [template.uri_template for template in templates], ["note://{name}"])


async def prompts_list(talk):
    async with talk.client() as client:
        prompts = (await client.list_prompts()).prompts
        expect("prompts", [prompt.name for prompt in prompts], ["greet"])
        arguments = {a.name: bool(a.required) for a in prompts[0].arguments}
        expect("arguments", arguments, {"name": True, "style": False})


async def call(talk):
    async with talk.client() as client:
        long = "x" * 100_000
        for said in ("hello", "", "Grüße, 世界 \U0001f30d", 'a "quoted"\nline\u2028', long):
            expect("echo", await text(client, "echo", {"text": said}), said)


async def structured_output(talk):
    async with talk.client() as client:
        # The client has the schema from the list and checks the result against it.
        await client.list_tools()
        result = await client.call_tool("add", {"a": 2, "b": 0.5})
        expect("structured", result.structured_content, {"sum": 2.5})
        expect_in("as text", "2.5", result.content[0].text)


async def content_kinds(talk):
    async with talk.client() as client:
        blocks = (await client.call_tool("media", {})).content
        expect("kinds", [block.type for block in blocks],
               ["text", "image", "audio", "resource", "resource_link"])
        _, image, audio, embedded, link = blocks
        expect("image", image.mime_type, "image/png")
        expect("image bytes", base64.b64decode(image.data)[:len(PNG)], PNG)
        expect("audio", audio.mime_type, "audio/wav")
        expect("audio bytes", base64.b64decode(audio.data)[:4], b"RIFF")
        if not embedded.resource.text or not str(link.uri) or not link.name:
            raise Mismatch(f"an empty resource: {embedded!r}, {link!r}")


async def failures(talk):
    async with talk.client() as client:
        expect("fail", await text(client, "fail"), "failed: it broke")
        wrong = await text(client, "add", {"a": "two", "b": 1})
        expect_in("wrong arguments", "failed: ", wrong)
        expect_in("countdown", "failed: ", await text(client, "countdown", {"from": 11}))
        expect("unknown tool", (await error(client.call_tool("none", {}))).code, INVALID_PARAMS)
        expect("unknown prompt", (await error(client.get_prompt("none"))).code, INVALID_PARAMS)
        expect("without its name", (await error(client.get_prompt("greet"))).code, INVALID_PARAMS)
        missing = await error(client.read_resource("file:///none.txt"))
        expect("unknown resource", missing.code,
               INVALID_PARAMS if talk.modern else RESOURCE_NOT_FOUND)
        expect("afterwards", await text(client, "echo", {"text": "still here"}), "still here")


async def deadline(talk):
    async with talk.client() as client:
        said = await text(client, "slow", {"ms": 60_000})
        expect_in("slow", "failed: Timed out", said)
        expect("afterwards", await text(client, "echo", {"text": "still here"}), "still here")


async def who_calls(talk):
    async with talk.client() as client:
        found = (await client.call_tool("whoami", {})).structured_content
        expect("revision", found["revision"], talk.revision)
        expect("method", found["method"], "tools/call")
        expect("client", found["client"], {"name": CLIENT.name, "version": CLIENT.version})


async def read(talk):
    async with talk.client() as client:
        readme = (await client.read_resource("file:///readme.txt")).contents[0]
        expect("readme", (readme.text, readme.mime_type), ("Read me.", "text/plain"))
        pixel = (await client.read_resource("data://pixel")).contents[0]
        expect("pixel", pixel.mime_type, "image/png")
        expect("pixel bytes", base64.b64decode(pixel.blob)[:len(PNG)], PNG)
        beta = (await client.read_resource("note://beta")).contents[0]
        expect("the uri of a template", str(beta.uri), "note://beta")
        expect_in("the text of a template", "beta", beta.text)


async def prompt(talk):
    async with talk.client() as client:
        messages = (await client.get_prompt("greet", {"name": "Ann", "style": "funny"})).messages
        expect("roles", [message.role for message in messages], ["user", "assistant"])
        expect_in("name", "Ann", messages[0].content.text)
        expect_in("style", "funny", messages[0].content.text)


async def completion(talk):
    async with talk.client() as client:
        async def complete(ref, name, value):
            return (await client.complete(ref, {"name": name, "value": value})).completion.values

        greet = types.PromptReference(type="ref/prompt", name="greet")
        expect("of a prompt", await complete(greet, "style", "f"), ["formal", "friendly", "funny"])
        expect("narrower", await complete(greet, "style", "fr"), ["friendly"])
        expect("none", await complete(greet, "style", "x"), [])
        notes = types.ResourceTemplateReference(type="ref/resource", uri="note://{name}")
        expect("of a template", await complete(notes, "name", ""), ["alpha", "beta", "gamma"])
        expect("narrower", await complete(notes, "name", "b"), ["beta"])


class Anything(types.Result):
    """The result of a method that no revision knows."""

    model_config = ConfigDict(extra="allow")


class Echo(types.Request[dict, str]):
    method: str = "everything/echo"


async def custom_method(talk):
    async with talk.client() as client:
        answer = await client.session.send_request(Echo(params={"text": "hi"}), Anything)
        expect("echo", answer.text, "hi")


async def several_at_once(talk):
    """Answers find their requests, whatever their order."""
    async with talk.client() as client:
        names = await tool_names(client)
        said = await asyncio.gather(*(text(client, "echo", {"text": name}) for name in names * 8))
        expect("echoes", said, names * 8)


BEHAVIOURS = (opening, ping, closing, tools_list, adornments, resources_list, prompts_list,
              call, structured_output, content_kinds, failures, deadline, who_calls, read, prompt,
              completion, custom_method, several_at_once)
