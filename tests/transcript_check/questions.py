"""What a server asks its client, and what the client must have declared for that."""

from .members import member

METHODS = ("elicitation/create", "sampling/createMessage", "roots/list")


class Questions:
    """The requests that the server has sent on one connection."""

    def __init__(self):
        # Key of the id -> whether an answer may still come.
        self.open = {}

    def ask(self, key):
        """Note a request; returns why it may not be sent, or None."""
        if key in self.open:
            return "a request of the server whose id it has used before"
        self.open[key] = True
        return None

    def close(self, key):
        """Note that a request is answered or withdrawn; returns whether it was open."""
        was_open = self.open.get(key, False)
        if was_open:
            self.open[key] = False
        return was_open


def undeclared(capabilities, request):
    """The client capability that a question needs and that is not in `capabilities`, or None."""
    method, params = member(request, "method"), member(request, "params")
    name = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling",
            "roots/list": "roots"}.get(method)
    declared = member(capabilities, name)
    if name is None:
        return None
    if not isinstance(declared, dict):
        return name
    if method == "elicitation/create":
        mode = member(params, "mode") or "form"
        # An empty object is how clients that know forms only declare them.
        return None if mode in declared or (mode == "form" and not declared) else f"{name}.{mode}"
    with_tools = any(member(params, part) is not None for part in ("tools", "toolChoice"))
    if method == "sampling/createMessage" and with_tools:
        return None if "tools" in declared else f"{name}.tools"
    return None
