"""The official JSON schemas of the revisions, and the same schemas closed to unknown members."""

import copy
import functools
import json
import os
import subprocess
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
PACKAGE = "@modelcontextprotocol/conformance"
PACKAGE_VERSION = "0.2.0-alpha.12"

# Whatever is inside these members is the business of the host or of an extension.
FREE_MEMBERS = {"_meta", "experimental", "extensions", "inputSchema", "outputSchema",
                "requestedSchema", "structuredContent"}


class Schema:
    """The schema of one revision."""

    def __init__(self, document):
        self.section = "$defs" if "$defs" in document else "definitions"
        self.document = close(document, self.section)
        self.definitions = self.document[self.section]

    @functools.cache
    def validator(self, name):
        document = {**self.document, "allOf": [{"$ref": f"#/{self.section}/{name}"}]}
        return jsonschema.validators.validator_for(document)(document)

    @functools.cache
    def by_method(self, union):
        """method -> definition name, for a union such as ClientRequest."""
        members = self.definitions.get(union, {}).get("anyOf", [])
        names = [_ref_name(reference) for reference in members]
        return {self.definitions[name]["properties"]["method"]["const"]: name for name in names}

    @functools.cache
    def errors_by_code(self):
        """code -> definition name of the errors that have a shape of their own."""
        found = {}
        for name, definition in self.definitions.items():
            error = definition.get("properties", {}).get("error", {})
            for part in error.get("allOf", []):
                code = part.get("properties", {}).get("code", {}).get("const")
                if code is not None:
                    found[code] = name
        return found

    def first_defined(self, *names):
        """The first of the names that this revision has a definition for."""
        return next(name for name in names if name in self.definitions)

    def result_type(self, method):
        """The result definition of a client request: ListToolsRequest gives ListToolsResult."""
        request = self.by_method("ClientRequest")[method]
        return self.first_defined(request.removesuffix("Request") + "Result", "EmptyResult")

    @functools.cache
    def sent_methods(self):
        """The methods of what a server sends: its requests, notifications and input requests."""
        unions = ("ServerRequest", "ServerNotification", "InputRequest")
        return {method for union in unions for method in self.by_method(union)}

    @functools.cache
    def asking_methods(self):
        """The client requests that may be answered with a requirement of input."""
        return {method for method, name in self.by_method("ClientRequest").items()
                if "InputRequiredResult" in _result_names(
                    self.definitions.get(name.removesuffix("Request") + "ResultResponse", {}))}


def close(document, section):
    """A copy in which every object that lists its members allows no others."""
    closed = copy.deepcopy(document)
    definitions = closed[section]
    definitions["EmptyResult"] = {**definitions["Result"], "additionalProperties": False}
    combined = set(_names_in_all_of(definitions))
    for name, definition in definitions.items():
        # What allOf combines lists only a part of the members.
        if name not in combined and not name.endswith(("Meta", "MetaObject", "Schema")):
            _close_node(definition)
    return closed


def load():
    """revision -> Schema for all that can be had, and a sentence on where they come from."""
    directory = Path(os.environ.get("MCP_SCHEMA_DIR", ROOT.parent / "shared" / "schema"))
    if directory.is_dir():
        documents = {name: json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
                     for name in REVISIONS}
        origin = f"schemas: {os.path.relpath(directory, ROOT)}"
    else:
        documents = _from_package()
        missing = ", ".join(sorted(set(REVISIONS) - set(documents)))
        origin = (f"schemas: no directory {os.path.relpath(directory, ROOT)}, so the copies in "
                  f"{PACKAGE}@{PACKAGE_VERSION}; not checked: {missing}")
    return {name: Schema(document) for name, document in documents.items()}, origin


def _from_package():
    """The literals inside the conformance package, which npm brings."""
    prefix = ROOT / "target" / "npm"
    package = prefix / "node_modules" / PACKAGE
    manifest = package / "package.json"
    if not manifest.is_file() or json.loads(manifest.read_text())["version"] != PACKAGE_VERSION:
        prefix.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", prefix, "--ignore-scripts", "--no-audit",
                   "--no-fund", "--loglevel=error", f"{PACKAGE}@{PACKAGE_VERSION}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    script = Path(__file__).with_name("extract_schemas.mjs")
    command = ["node", script, package / "dist" / "index.js"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _close_node(node):
    if isinstance(node, list):
        for element in node:
            _close_node(element)
    if not isinstance(node, dict):
        return
    if node.get("type") == "object" and node.get("properties"):
        node.setdefault("additionalProperties", False)
    for name, child in node.get("properties", {}).items():
        if name not in FREE_MEMBERS:
            _close_node(child)
    for keyword in ("additionalProperties", "anyOf", "items"):
        _close_node(node.get(keyword))


def _names_in_all_of(node):
    if isinstance(node, dict):
        for part in node.get("allOf", []):
            if "$ref" in part:
                yield _ref_name(part)
    if isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _names_in_all_of(child)


def _result_names(response):
    """The definitions that the result of a response may be."""
    result = response.get("properties", {}).get("result", {})
    return {_ref_name(part) for part in result.get("anyOf", [result]) if "$ref" in part}


def _ref_name(reference):
    return reference["$ref"].rpartition("/")[2]
