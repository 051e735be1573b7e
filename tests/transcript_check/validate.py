"""What one server message of a revision must look like."""

from .members import member
from .replay import MODERN

RESERVED_CODES = range(-32099, -32019)
# Codes of earlier revisions that the modern one forbids; -32042 is among the reserved ones.
RETIRED_CODES = {-32002}


class Checker:
    """Checks messages against the schemas of their revisions."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.methods = {method for schema in schemas.values()
                        for union in ("ClientRequest", "ServerNotification", "ServerRequest")
                        for method in schema.by_method(union)}

    def check(self, message):
        """Yield the reasons why `message` is wrong."""
        schema = self.schemas[message.revision]
        check = {"result": self._result, "error": self._error,
                 "notification": self._notification, "request": self._request}[message.kind]
        yield from check(schema, message)

    def _result(self, schema, message):
        envelope = schema.first_defined("JSONRPCResultResponse", "JSONRPCResponse")
        yield from _against(schema, envelope, message.value)
        method, result = message.request.method, message.value["result"]
        if message.revision == MODERN and member(result, "resultType") == "input_required":
            yield from _input_required(schema, method, result)
        elif method in schema.by_method("ClientRequest"):
            yield from _against(schema, schema.result_type(method), result)
        elif method in self.methods:
            yield f"a result for {method}, which this revision does not have"

    def _error(self, schema, message):
        value, code = message.value, member(message.value, "error", "code")
        if _may_lack_id(schema, message):
            value = {**value, "id": 0}
        yield from _against(schema, _error_envelope(schema), value)
        shapes = schema.errors_by_code()
        if code in shapes:
            yield from _against(schema, shapes[code], value)
        elif message.revision == MODERN and (code in RESERVED_CODES or code in RETIRED_CODES):
            yield f"the error code {code}, which this revision forbids"

    def _notification(self, schema, message):
        yield from _against(schema, "JSONRPCNotification", message.value)
        yield from self._by_method(schema, "ServerNotification", message.value)

    def _request(self, schema, message):
        yield from _against(schema, "JSONRPCRequest", message.value)
        yield from self._by_method(schema, "ServerRequest", message.value)

    def _by_method(self, schema, union, value):
        method = value["method"]
        name = schema.by_method(union).get(method)
        if name:
            listed = schema.definitions[name]["properties"]
            # The older revisions define these without the envelope around them.
            yield from _against(schema, name, {key: part for key, part in value.items()
                                               if key in listed or key not in ("jsonrpc", "id")})
        elif method in self.methods or union == "ServerRequest":
            yield f"{method}, which a server of this revision does not send"


def _input_required(schema, method, result):
    yield from _against(schema, "InputRequiredResult", result)
    if method not in schema.asking_methods():
        yield f"an answer to {method} that requires input"
    if "inputRequests" not in result and "requestState" not in result:
        yield "required input without inputRequests and requestState"


def _error_envelope(schema):
    return schema.first_defined("JSONRPCErrorResponse", "JSONRPCError")


def _may_lack_id(schema, message):
    """The one exemption: an error that cannot know its request, where the schema wants an id.

    The id is null before anything is negotiated and in the revisions whose schema requires one;
    the later ones leave it out, which their schemas allow.
    """
    required = "id" in schema.definitions[_error_envelope(schema)]["required"]
    null = "id" in message.value and message.value["id"] is None
    absent = "id" not in message.value
    return message.request is None and ((null and (required or not message.negotiated))
                                        or (absent and required))


def _against(schema, name, value):
    """Yield why `value` is not a `name`."""
    for error in schema.validator(name).iter_errors(value):
        error = _telling(error)
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}"
                        for part in error.absolute_path)
        yield f"not a valid {name}: {where or 'it'}: {error.message}"


def _telling(error):
    """Of a failed choice, the error in the branch that was meant: the one whose constants fit."""
    while error.context:
        branches = {}
        for part in error.context:
            branches.setdefault(part.schema_path[0], []).append(part)
        meant = [errors for errors in branches.values()
                 if not any(part.validator == "const" for part in errors)]
        if len(meant) != 1:
            return error
        error = meant[0][0]
    return error
