"""Looking into JSON values that may be of any shape."""


def member(value, *path):
    """The member of nested objects at `path`, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
