"""What must come of a case, and what must never come of any."""

import json

KNOWN = {"status", "code", "tool_ran", "absent_headers", "headers", "content_type_if_200", "or_close", "answers",
         "closes", "text", "outcome", "note"}
# The codes that 2026-07-28 has of those that it reserves.
RESERVED = range(-32099, -32019)
OF_2026 = (-32020, -32021, -32022)


def judge(expect, heard, ran):
    """Why the case has failed, if it has: `heard` is what was said on the connection, `ran` how often tools ran."""
    unknown = expect.keys() - KNOWN
    if unknown:
        return f"the expectation has {sorted(unknown)}, which nobody checks"
    responses = heard.responses
    if not responses:
        return None if expect.get("or_close") else "there was no response"
    complaints = (check(expect, responses, heard, ran) for check in (_answers, _first, _whole))
    return next(filter(None, complaints), None)


def _answers(expect, responses, heard, ran):
    statuses = [response.status for response in responses]
    wanted = expect.get("answers")
    if wanted is None:
        return f"one request had {len(statuses)} responses" if len(statuses) > 1 else None
    if len(statuses) != len(wanted) or any(status not in allowed for status, allowed in zip(statuses, wanted)):
        return f"the responses are {statuses}"
    return None


def _first(expect, responses, heard, ran):
    response, allowed = responses[0], expect.get("status", "any")
    if allowed != "any" and response.status not in allowed:
        return f"the status is {response.status}: {response.body[:200]!r}"
    if "code" in expect:
        codes = expect["code"] if isinstance(expect["code"], list) else [expect["code"]]
        if response.code() not in codes:
            return f"the code is {response.code()}"
    for line in expect.get("absent_headers", []):
        name, _, value = line.partition(": ")
        if any(not value or own == value for own in response.all(name)):
            return f"there is a header {line}"
    for name, value in expect.get("headers", {}).items():
        if response.all(name) != [value]:
            return f"{name} is {response.all(name)}"
    media_type = expect.get("content_type_if_200")
    if media_type and response.status == 200 and response.media_type != media_type:
        return f"the type is {response.media_type}"
    if "text" in expect:
        texts = [block["text"] for message in response.messages() for block in message["result"]["content"]]
        if texts != [expect["text"]]:
            return f"the text is {texts}"
    return None


def _whole(expect, responses, heard, ran):
    if "tool_ran" in expect and bool(ran) != expect["tool_ran"]:
        return "a tool ran" if ran else "no tool ran"
    if expect.get("closes") and not heard.is_closed:
        return "the connection is still open"
    return None


def unlawful(heard, sent, era):
    """What no case may bring about, if it did."""
    for response in heard.responses:
        for message in response.messages():
            if message.get("jsonrpc") != "2.0":
                return f"not JSON-RPC: {json.dumps(message)[:200]}"
            code = message.get("error", {}).get("code", 0)
            if era == "modern" and code in RESERVED and code not in OF_2026:
                return f"the code {code} is not one of 2026-07-28"
            if era == "modern" and "result" in message and "resultType" not in message["result"]:
                return "the result has no resultType"
        if era == "modern" and response.first("mcp-session-id"):
            return "a session was announced"
        replies = [message for message in response.messages() if "method" not in message]
        if len(replies) > max(sent, 1):
            return f"{len(replies)} replies to {sent} messages"
        if response.status == 101 or response.first("access-control-allow-credentials"):
            return f"the status is {response.status}, the headers {response.headers}"
    return None
