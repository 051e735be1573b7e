"""Which changes a server may tell of: what a stream was promised, or a handshake announced."""

from .members import member

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
# The member of a subscription filter, and the server capability, for each list.
LISTS = {
    "notifications/tools/list_changed": ("toolsListChanged", "tools"),
    "notifications/prompts/list_changed": ("promptsListChanged", "prompts"),
    "notifications/resources/list_changed": ("resourcesListChanged", "resources"),
}
METHODS = (ACKNOWLEDGED, UPDATED, *LISTS)


class Handshake:
    """What a legacy client may be told."""

    def __init__(self, capabilities):
        self.capabilities = capabilities
        self.subscribed = set()

    def refuse(self, method, params):
        """Why this change may not be told, or None."""
        if method == UPDATED and member(params, "uri") not in self.subscribed:
            return f"{member(params, 'uri')}, which is not subscribed"
        if method in LISTS:
            name = LISTS[method][1]
            if member(self.capabilities, name, "listChanged") is not True:
                return f"{method}, which the handshake did not announce"
        return None


class Stream:
    """One listen request, and what it was promised."""

    def __init__(self, asked):
        self.asked = asked
        self.promised = None

    def acknowledge(self, promised):
        """Note what the server promises; returns why it may not, or None."""
        if self.promised is not None:
            return "a second acknowledgement of one stream"
        self.promised = promised
        for name, value in (promised or {}).items():
            asked = member(self.asked, name)
            fits = set(value) <= set(asked or []) if isinstance(value, list) else value == asked
            if not fits:
                return f"a stream promised {name} that it did not ask for"
        return None

    def refuse(self, method, params):
        """Why this change may not be told on the stream, or None."""
        if self.promised is None:
            return "a message on a stream that is not acknowledged"
        if method == UPDATED:
            promised = member(self.promised, "resourceSubscriptions") or []
            told = member(params, "uri") in promised
        elif method in LISTS:
            told = member(self.promised, LISTS[method][0]) is True
        else:
            return f"{method} on a listen stream"
        return None if told else f"{method} on a stream that was not promised it"
