"""Media types: of formats, of file names, and of bytes that say what they are."""

from __future__ import annotations

_SUFFIXES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
}

# Only what cannot be mistaken: a type guessed wrongly is worse than none.
_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
)

_INSIDE = (
    (b"RIFF", 8, b"WEBP", "image/webp"),
    (b"RIFF", 8, b"WAVE", "audio/wav"),
    (b"", 4, b"ftypavif", "image/avif"),
    (b"", 4, b"ftypM4A ", "audio/mp4"),
)


def type_of_format(family: str, format: str) -> str:
    """Gives the type of a format as people name it: `png`, `jpg`, `mp3`."""
    known = _SUFFIXES.get(format.lower().removeprefix("."))
    return known if known and known.startswith(family) else f"{family}/{format.lower()}"


def type_of_name(path: str) -> str | None:
    """Guesses the type of a file by the end of its name."""
    suffix = path.rpartition(".")[2].lower()
    if known := _SUFFIXES.get(suffix):
        return known
    import mimetypes

    return mimetypes.guess_type(path)[0]


def type_of_bytes(data: bytes) -> str | None:
    """Recognises images and sound by how they begin."""
    for start, kind in _SIGNATURES:
        if data.startswith(start):
            return kind
    for start, offset, mark, kind in _INSIDE:
        if data.startswith(start) and data.startswith(mark, offset):
            return kind
    return None
