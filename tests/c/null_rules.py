"""What each exported function must do with absurd arguments, for null_args.py.

A function without a row here cannot be tested, and null_args.py refuses to go on: whoever exports
one decides.
"""

from dataclasses import dataclass, field

INVALID = "MCP_E_INVALID"
UNSUPPORTED = "MCP_E_UNSUPPORTED"
SOME = "!NULL"
ANY = None


@dataclass
class Rule:
    # The C expression of a good argument, where the one for its type does not do.
    valid: dict = field(default_factory=dict)
    # Pointers that may be NULL; the result is that of good arguments.
    optional: set = field(default_factory=set)
    # What comes back for good arguments, and for a NULL or a length that cannot be; by default what
    # the type of the result suggests. Several possible ones are a tuple.
    good: object = "MCP_OK"
    bad: object = ""
    # What comes back for NULL in this one parameter, or in all of them with lengths of 0.
    null: dict = field(default_factory=dict)
    all_null: object = ""
    # Numbers that name something, and what comes back for one that names nothing.
    enums: dict = field(default_factory=dict)
    # Whether 0 names something.
    has_zero: bool = False
    # A text from a peer, whose length is always known: MCP_Z is refused.
    from_peer: bool = False
    # Texts that are not taken for UTF-8: what is wrong with them is told to the client.
    raw: set = field(default_factory=set)
    where: str = "OUTSIDE"
    # The object that the function takes away from the fixture.
    consumes: str = ""
    # How to give back what the function gave.
    give_back: str = ""
    ends_call: bool = False
    # Further arguments, each with what comes back.
    more: list = field(default_factory=list)
    # Leaves out calls with good arguments: they would not come back, or change the process.
    only_bad: bool = False


def reader(good, bad, **more):
    return Rule(good=good, bad=bad, **more)


def answer(**more):
    return Rule(ends_call=True, **more)


def hook(function):
    """A callback that may be NULL, which takes the one before away."""
    return Rule(valid={function: HOOKS[function]}, optional={function})


HOOKS = {
    "wake": "nothing_to_wake",
    "hook": "nothing_to_rewrite",
    "observer": "nothing_to_observe",
    "seal": "nothing_to_seal",
    "clock": "no_time",
    "entropy": "no_entropy",
    "authorize": "nothing_to_authorize",
}
SERVE = ("MCP_E_INVALID", "MCP_E_UNSUPPORTED")
NO_ADDRESSES = [
    ({"address": '""'}, SERVE),
    ({"address": '"/no/such/folder/x.sock"'}, ("MCP_E_IO", *SERVE)),
]
JSON_TEXT = '"{\\"a\\":1,\\"s\\":\\"t\\"}"'

RULES = {
    "mcp_version": reader(SOME, ANY),
    "mcp_version_number": reader("MCP_VERSION_NUMBER", ANY),
    "mcp_abi_version": reader("MCP_ABI_VERSION", ANY),
    "mcp_status_str": reader(SOME, ANY, valid={"status": "MCP_E_JSON"}, enums={"status": SOME}),
    # Server.
    "mcp_server_new": reader(SOME, "NULL", give_back="mcp_server_free"),
    "mcp_server_free": Rule(consumes="server", ends_call=True),
    "mcp_server_shutdown": Rule(),
    "mcp_server_last_error": Rule(good="MCP_DONE"),
    "mcp_server_set_int": Rule(
        valid={"option": "MCP_OPT_PAGE_SIZE", "value": "5"}, enums={"option": UNSUPPORTED}
    ),
    "mcp_server_set_str": Rule(
        valid={"option": "MCP_OPT_TITLE"}, optional={"value"}, enums={"option": UNSUPPORTED}
    ),
    "mcp_server_memory_used": reader(ANY, "0"),
    "mcp_server_run": reader(
        "0",
        INVALID,
        valid={"max_calls": "0"},
        more=[({"max_calls": "-1"}, INVALID), ({"max_calls": "INT32_MIN"}, INVALID)],
    ),
    "mcp_server_next_call": reader("NULL", "NULL"),
    "mcp_server_set_wake": hook("wake"),
    "mcp_server_timeout": reader("-1", "-1"),
    "mcp_server_tick": Rule(),
    # What is offered.
    "mcp_register_tool": Rule(
        optional={"description", "input_schema", "handler"},
        valid={"input_schema": '"{\\"type\\":\\"object\\"}"'},
    ),
    "mcp_register_resource": Rule(
        valid={"uri": '"test://fresh"'}, optional={"mime_type", "handler"}
    ),
    "mcp_register_static": Rule(valid={"uri": '"test://fresh"'}, optional={"mime_type"}),
    "mcp_register_template": Rule(
        valid={"uri_template": '"fresh://{x}"'}, optional={"mime_type", "handler"}
    ),
    "mcp_register_prompt": Rule(
        valid={"arguments": '"[]"'}, optional={"description", "arguments", "handler"}
    ),
    "mcp_register_completion": Rule(
        valid={"kind": "MCP_PROMPT", "name": '"prompt"'},
        optional={"handler"},
        enums={"kind": INVALID},
    ),
    "mcp_register_method": Rule(optional={"handler"}),
    "mcp_register": Rule(
        valid={
            "kind": "MCP_TOOL",
            "definition": '"{\\"name\\":\\"fresh\\",\\"inputSchema\\":{\\"type\\":\\"object\\"}}"',
        },
        optional={"handler"},
        enums={"kind": INVALID},
    ),
    "mcp_unregister": Rule(
        valid={"kind": "MCP_PROMPT", "name": '"prompt"'}, enums={"kind": INVALID}
    ),
    "mcp_unregister_completion": Rule(
        valid={"kind": "MCP_PROMPT", "name": '"prompt"', "argument": '"argument"'},
        enums={"kind": INVALID},
    ),
    "mcp_item_set_int": Rule(
        valid={"kind": "MCP_TOOL", "name": '"tool"', "option": "MCP_ITEM_HIDDEN", "value": "1"},
        enums={"kind": INVALID, "option": UNSUPPORTED},
    ),
    "mcp_notify_resource_updated": Rule(valid={"uri": '"test://resource"'}),
    "mcp_notify_list_changed": Rule(valid={"kind": "MCP_TOOL"}, enums={"kind": INVALID}),
    "mcp_notify_elicitation_complete": Rule(good="MCP_E_NOT_FOUND"),
    # Session.
    "mcp_session_new": reader(SOME, "NULL", give_back="mcp_session_free"),
    "mcp_session_free": Rule(consumes="session", ends_call=True),
    "mcp_handle_message": Rule(from_peer=True),
    "mcp_session_receive": Rule(from_peer=True, optional={"out_used"}),
    "mcp_session_end": Rule(),
    "mcp_session_poll": reader("NULL", "NULL", optional={"out_len"}),
    "mcp_session_peek": reader("NULL", "NULL", optional={"out_len"}),
    "mcp_session_consume": Rule(
        valid={"len": "0"}, more=[({"len": "1"}, INVALID), ({"len": "SIZE_MAX"}, INVALID)]
    ),
    "mcp_session_set_wake": hook("wake"),
    "mcp_session_set_context": Rule(optional={"context"}),
    "mcp_session_set_principal": Rule(optional={"principal"}),
    "mcp_session_notify": Rule(
        valid={"method": '"notifications/x"', "params": '"{}"', "params_len": "2"}
    ),
    "mcp_session_finished": reader("0", "1"),
    "mcp_session_open_calls": reader("1", "0"),
    # HTTP.
    "mcp_http_new": reader(SOME, "NULL", valid={"path": '"/fresh"'}, give_back="mcp_http_free"),
    "mcp_http_free": Rule(consumes="http"),
    "mcp_http_mount": Rule(valid={"path": '"/fresh"'}),
    "mcp_http_unmount": Rule(good="MCP_E_NOT_FOUND", valid={"path": '"/fresh"'}),
    "mcp_http_set_int": Rule(
        valid={"option": "MCP_HTTP_MAX_BODY", "value": "5"},
        enums={"option": UNSUPPORTED},
        more=[({"value": "-1"}, INVALID), ({"option": "MCP_HTTP_STATELESS"}, INVALID)],
    ),
    "mcp_http_set_str": Rule(
        valid={"option": "MCP_HTTP_ALLOW_HOST"}, optional={"value"}, enums={"option": UNSUPPORTED}
    ),
    "mcp_http_set_authorize": hook("authorize"),
    "mcp_http_open": reader(
        SOME,
        "NULL",
        valid={"method": '"GET"', "target": '"/mcp"', "target_len": "4"},
        raw={"target"},
        give_back="mcp_exchange_free",
    ),
    "mcp_exchange_header": Rule(raw={"name", "value"}),
    "mcp_exchange_body": Rule(from_peer=True),
    "mcp_exchange_end": Rule(),
    "mcp_exchange_status": reader("0", "503"),
    "mcp_exchange_response_header": Rule(
        good="MCP_DONE", bad="MCP_DONE", valid={"index": "0"}, optional={"out_name", "out_value"}
    ),
    "mcp_exchange_poll": reader("NULL", "NULL"),
    "mcp_exchange_finished": reader("0", "1"),
    "mcp_exchange_is_stream": reader("0", "0"),
    "mcp_exchange_set_wake": hook("wake"),
    "mcp_exchange_set_context": Rule(optional={"context"}),
    "mcp_exchange_set_principal": Rule(optional={"principal"}),
    "mcp_exchange_set_challenge": Rule(),
    "mcp_exchange_request_header": reader("NULL", "NULL", optional={"out_len"}),
    "mcp_exchange_info": reader(
        SOME,
        "NULL",
        valid={"what": "MCP_EXCHANGE_PATH"},
        optional={"out_len"},
        enums={"what": "NULL"},
    ),
    "mcp_exchange_free": Rule(consumes="exchange"),
    # Reading a call.
    "mcp_call_retain": reader(SOME, "NULL", give_back="mcp_call_release"),
    "mcp_call_release": Rule(consumes="call"),
    "mcp_arg_str": reader(SOME, "NULL", valid={"path": '"s"'}, optional={"out_len"}),
    "mcp_arg_int": reader("1", "42", valid={"path": '"i"', "fallback": "42"}),
    "mcp_arg_num": reader("1.5", "42.5", valid={"path": '"n"', "fallback": "42.5"}),
    "mcp_arg_bool": reader("1", "42", valid={"path": '"b"', "fallback": "42"}),
    "mcp_arg_json": reader(SOME, "NULL", valid={"path": '"i"'}, optional={"out_len"}),
    "mcp_call_info": reader(
        SOME,
        "NULL",
        valid={"what": "MCP_INFO_METHOD"},
        optional={"out_len"},
        enums={"what": "NULL"},
    ),
    "mcp_call_context": reader("NULL", "NULL"),
    "mcp_call_user_data": reader("&f->call", "NULL"),
    "mcp_call_header": reader("NULL", "NULL", optional={"out_len"}),
    "mcp_call_cancelled": reader("0", "1"),
    "mcp_call_on_cancel": Rule(valid={"function": "nothing_to_wake"}),
    "mcp_call_set_deadline": Rule(valid={"ms_from_now": "1000"}),
    # Answering.
    "mcp_reply": answer(),
    "mcp_reply_text": answer(),
    "mcp_reply_json": answer(valid={"json": '"{}"', "len": "2"}),
    "mcp_reply_result": answer(valid={"json": '"{\\"content\\":[]}"', "len": "14"}),
    "mcp_reply_error": answer(valid={"code": "-32000", "data": '"{}"', "data_len": "2"}),
    "mcp_fail": answer(valid={"kind": "MCP_KIND_TOOL_FAILED"}, enums={"kind": INVALID}),
    "mcp_add_text": Rule(),
    "mcp_add_media": Rule(valid={"mime_type": '"image/png"'}),
    "mcp_add_resource": Rule(
        valid={"uri": '"test://x"'}, optional={"mime_type"}, null={"name": "MCP_OK"}
    ),
    "mcp_add_json": Rule(
        valid={"block": '"{\\"type\\":\\"text\\",\\"text\\":\\"t\\"}"', "len": "26"}
    ),
    "mcp_put_str": Rule(),
    "mcp_put_int": Rule(),
    "mcp_put_num": Rule(),
    "mcp_put_bool": Rule(),
    "mcp_put_json": Rule(valid={"json": '"{}"', "len": "2"}),
    "mcp_reply_set": Rule(
        valid={"what": "MCP_SET_META", "value": '"{}"', "len": "2"}, enums={"what": UNSUPPORTED}
    ),
    "mcp_progress": Rule(optional={"message"}),
    "mcp_call_close_stream": Rule(good="MCP_E_STATE"),
    "mcp_log": Rule(
        valid={"level": "MCP_LOG_ERROR"},
        optional={"logger"},
        enums={"level": INVALID},
        has_zero=True,
    ),
    # Asking.
    "mcp_ask": reader(
        "NULL",
        "NULL",
        valid={"method": '"roots/list"', "params": '"{}"', "params_len": "2"},
        optional={"out_len"},
    ),
    "mcp_can_ask": reader(
        "1", "0", valid={"method": '"roots/list"', "params": '"{}"', "params_len": "2"}
    ),
    "mcp_reply_asked": Rule(good="MCP_E_STATE"),
    # Small JSON help.
    "mcp_json_find": reader(
        SOME,
        "NULL",
        valid={"json": JSON_TEXT, "len": "15", "path": '"a"'},
        null={"out_len": "NULL"},
    ),
    "mcp_json_str": Rule(
        valid={"json": JSON_TEXT, "len": "15", "path": '"s"'}, optional={"out_len"}
    ),
    "mcp_json_num": Rule(valid={"json": JSON_TEXT, "len": "15", "path": '"a"'}),
    "mcp_json_int": Rule(valid={"json": JSON_TEXT, "len": "15", "path": '"a"'}),
    "mcp_json_quote": Rule(optional={"out_len"}, all_null="MCP_E_BUFFER"),
    "mcp_make_response": Rule(
        valid={"id": '"1"', "code": "-32000"}, optional={"id", "out_len"}, all_null="MCP_E_BUFFER"
    ),
    "mcp_is_notification": reader(
        "1", "0", valid={"message": '"{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"x\\"}"', "len": "30"}
    ),
    # Errors, observation, secrets.
    "mcp_server_set_error": Rule(
        valid={"kind": "MCP_KIND_LIMIT", "code": "-32000", "form": "MCP_FORM_ERROR"},
        enums={"kind": INVALID, "form": INVALID},
        has_zero="form",
    ),
    "mcp_server_set_error_hook": hook("hook"),
    "mcp_failure_kind": reader("MCP_KIND_UNKNOWN_TOOL", "0", where="IN_ERROR_HOOK"),
    "mcp_failure_code": reader("-32602", "0", where="IN_ERROR_HOOK"),
    "mcp_failure_info": reader(
        SOME,
        "NULL",
        valid={"what": "MCP_INFO_METHOD"},
        optional={"out_len"},
        enums={"what": "NULL"},
        where="IN_ERROR_HOOK",
    ),
    "mcp_failure_set_code": Rule(
        valid={"code": "-32000", "form": "MCP_FORM_ERROR"},
        enums={"form": INVALID},
        has_zero=True,
        where="IN_ERROR_HOOK",
    ),
    "mcp_failure_set": Rule(
        valid={"what": "MCP_INFO_MESSAGE"}, enums={"what": INVALID}, where="IN_ERROR_HOOK"
    ),
    "mcp_server_set_observer": hook("observer"),
    "mcp_server_set_seal_keys": Rule(valid={"keys": "fixture_key", "count": "1"}),
    "mcp_server_set_seal": hook("seal"),
    "mcp_buf_append": Rule(where="IN_SEAL"),
    "mcp_server_set_clock": hook("clock"),
    "mcp_server_set_entropy": hook("entropy"),
    "mcp_set_allocator": Rule(
        only_bad=True,
        bad=SERVE,
        valid={"alloc": "no_memory", "resize": "no_more_memory", "release": "nothing_to_release"},
    ),
    # Serving: only what cannot begin.
    "mcp_serve_stdio": Rule(only_bad=True, bad=SERVE),
    "mcp_serve_socket": Rule(only_bad=True, bad=SERVE, more=NO_ADDRESSES),
    "mcp_serve_http": Rule(only_bad=True, bad=SERVE, more=NO_ADDRESSES),
}
