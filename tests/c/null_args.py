#!/usr/bin/env python3
"""Writes a C program that calls every exported function with absurd arguments.

    tests/c/null_args.py OUTPUT [--header FILE]

OUTPUT is a file, or a folder in which null_args.c is written. Every pointer is NULL, all at once
and each in turn; every length is impossible; every number that names something names nothing;
every text is no text. null_rules.py says what must come of it.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from null_rules import ANY, RULES, SOME, Rule

ROOT = Path(__file__).resolve().parent.parent.parent
SYMBOLS = ROOT / "ffi" / "abi" / "symbols.txt"
ABSURD_NUMBERS = ["-1", "0", "9999", "INT32_MIN", "INT32_MAX"]
ABSURD_LENGTHS = ["SIZE_MAX - 1", "(size_t)PTRDIFF_MAX + 1"]
HANDLES = {
    "mcp_server": "f->server",
    "mcp_session": "f->session",
    "mcp_http": "f->http",
    "mcp_exchange": "f->exchange",
    "mcp_call": "f->call",
    "mcp_failure": "f->failure",
    "mcp_buf": "f->buf",
}
# A good argument by its type, unless its rule has another.
VALID = {
    "const char *": '"fresh"',
    "const void *": '"fresh"',
    "size_t": "5",
    "int32_t": "1",
    "int64_t": "1",
    "double": "1.0",
    "size_t *": "&f->size",
    "const char * *": "&f->text",
    "mcp_error *": "&f->error",
    "int64_t *": "&f->integer",
    "double *": "&f->number",
    "char *": "f->room",
    "mcp_handler": "nothing_to_handle",
    "mcp_destroy": "count_up",
    "void *": "&f->destroyed",
}
BROKEN_TEXT = '"a\\xff\\xfe" "b"'
ZEROED = {
    "size_t *": "f->size == 0",
    "const char * *": "f->text == NULL",
    "int64_t *": "f->integer == 0",
    "double *": "f->number == 0",
    "mcp_error *": "f->error.status == 0 && f->error.text[0] == 0",
}


@dataclass
class Parameter:
    type: str
    name: str

    @property
    def is_pointer(self):
        return "*" in self.type or (self.type.startswith("mcp_") and self.type != "mcp_status")

    @property
    def is_text(self):
        return self.type == "const char *"

    @property
    def is_out(self):
        return self.type in ZEROED


@dataclass
class Function:
    name: str
    result: str
    parameters: list

    def pairs(self):
        """Pointers that a length or a capacity follows."""
        following = zip(self.parameters, self.parameters[1:])
        return [
            (a.name, b.name)
            for a, b in following
            if a.is_pointer and not a.is_out and b.type == "size_t"
        ]


def declarations(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
    text = re.sub(r"\b(MCP_API|extern|struct)\b", " ", text)
    found = []
    for statement in text.split(";"):
        match = re.search(r"([\w ]+?[\s*]+)(mcp_\w+)\s*\((.*)\)\s*$", statement, flags=re.S)
        if match and "typedef" not in statement and "{" not in match[1]:
            result, name, parameters = match.groups()
            found.append(
                Function(name, spelled(result), [parameter(it) for it in split(parameters)])
            )
    return found


def split(text):
    """Cuts at the commas that are in no parentheses."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [] if parts == ["void"] else [part.strip() for part in parts]


def parameter(text):
    pointer = re.search(r"\(\*(\w+)\)", text)
    if pointer:
        return Parameter("function *", pointer[1])
    match = re.fullmatch(r"(.*?)(\w+)", text, flags=re.S)
    return Parameter(spelled(match[1]), match[2])


def spelled(kind):
    return " ".join(kind.replace("*", " * ").split())


class Case:
    """One call: what differs from good arguments, and what must come back."""

    def __init__(self, function, rule, changed, expected, what):
        self.function, self.rule, self.changed, self.expected = function, rule, changed, expected
        self.what = what.replace('"', "'")
        # Texts and bytes in memory that ends where they do.
        self.on_heap = {}

    def move_to_heap(self):
        lengths = dict(self.function.pairs())
        for parameter in self.function.parameters:
            if parameter.type in ("const char *", "const void *"):
                good = valid(parameter, self.rule)
                length = lengths.get(parameter.name)
                count = self.length(length) if length else f"strlen({good}) + 1"
                self.on_heap[parameter.name] = f"on_heap(f, {good}, {count})"
        return self

    def length(self, name):
        return self.rule.valid.get(name, VALID["size_t"])

    def argument(self, parameter):
        return (
            self.changed.get(parameter.name)
            or self.on_heap.get(parameter.name)
            or valid(parameter, self.rule)
        )

    def is_failure(self):
        first = self.expected[0] if isinstance(self.expected, tuple) else self.expected
        return first is not ANY and (first.startswith("MCP_E_") or first == "NULL")

    def write(self, number):
        function, rule = self.function, self.rule
        given = {parameter.name: self.argument(parameter) for parameter in function.parameters}
        call = f"{function.name}({', '.join(given.values())})"
        lines = [
            f"/* {self.what} */",
            f"static void case_{number}(struct fixture *f)",
            "{",
            "    (void)f;",
        ]
        if given.get("destroy", "NULL") != "NULL":
            lines.append("    f->destroys_wanted = 1;")
        if function.result == "void":
            lines.append(f"    {call};")
        else:
            declared = function.result if function.result.endswith("*") else function.result + " "
            lines.append(f"    {declared}result = {call};")
            lines.append(f"    {self.check()}")
        consumed = rule.consumes and given[rule.consumes] != "NULL"
        if consumed:
            lines.append(f"    f->{rule.consumes} = NULL;")
        if rule.ends_call and (consumed or self.expected == "MCP_OK"):
            lines.append("    f->call_is_over = 1;")
        if self.is_failure():
            lines += self.check_failure(given)
        if rule.give_back:
            lines.append(f"    {rule.give_back}(result);")
        return "\n".join([*lines, "}", ""])

    def check(self):
        expected = self.expected
        if expected is ANY:
            return "(void)result;"
        if expected == SOME:
            return "CHECK(result != NULL);"
        if isinstance(expected, tuple):
            return f"CHECK({' || '.join(f'result == {one}' for one in expected)});"
        if self.function.result == "mcp_status":
            return f"CHECK_STATUS(result, {expected});"
        return f"CHECK(result == {expected});"

    def check_failure(self, given):
        lines = []
        for parameter in self.function.parameters:
            if (
                parameter.is_out
                and given[parameter.name] != "NULL"
                and self.expected != "MCP_E_BUFFER"
            ):
                lines.append(f"    CHECK({ZEROED[parameter.type]});")
        if given.get("destroy", "NULL") != "NULL" and self.function.result == "mcp_status":
            lines.append("    CHECK(f->destroyed == 1);")
        return lines


def valid(parameter, rule):
    if parameter.name in rule.valid:
        return rule.valid[parameter.name]
    if parameter.name == "cap":
        return "sizeof f->room"
    handle = parameter.type.replace("const", "").strip(" *")
    if handle in HANDLES and parameter.is_pointer:
        return HANDLES[handle]
    return VALID[parameter.type]


def bad_result(function, rule):
    if rule.bad != "":
        return rule.bad
    return "MCP_E_INVALID" if function.result == "mcp_status" else ANY


def cases(function, rule):
    """Every call to be made of one function."""

    def case(changed, expected, what):
        return Case(function, rule, changed, expected, f"{function.name}: {what}")

    bad = bad_result(function, rule)
    pointers = [it for it in function.parameters if it.is_pointer]
    lengths = {length for _, length in function.pairs()}
    found = [] if rule.only_bad else [case({}, rule.good, "good arguments")]
    if not rule.only_bad:
        found.append(case({}, rule.good, "good arguments in exact memory").move_to_heap())
    if pointers:
        all_null = {it.name: "NULL" for it in pointers} | {name: "0" for name in lengths}
        found.append(
            case(all_null, bad if rule.all_null == "" else rule.all_null, "everything NULL")
        )
    for it in pointers:
        # What the callback is given is the host's business; a rule says so of the rest.
        is_fine = it.name in rule.optional or it.name in ("user_data", "destroy")
        changed = {it.name: "NULL"}
        if it.name in ("user_data", "context") and any(
            other.name == "destroy" for other in pointers
        ):
            changed["destroy"] = "NULL"
        found.append(
            case(changed, rule.null.get(it.name, rule.good if is_fine else bad), f"{it.name} NULL")
        )
    for pointer, length in function.pairs():
        found.append(case({pointer: "NULL", length: "1"}, bad, f"{pointer} NULL with a length"))
        found.append(
            case(
                {pointer: "NULL", length: "SIZE_MAX / 2"},
                bad,
                f"{pointer} NULL with half of all memory",
            )
        )
        found += [case({length: absurd}, bad, f"{length} is {absurd}") for absurd in ABSURD_LENGTHS]
        if rule.from_peer:
            found.append(case({length: "MCP_Z"}, bad, f"{length} is MCP_Z, and from a peer"))
    for it in (it for it in function.parameters if it.is_text and not rule.from_peer):
        if it.name in rule.raw:
            continue
        changed = {it.name: BROKEN_TEXT} | {
            length: "4" for pointer, length in function.pairs() if pointer == it.name
        }
        found.append(
            case(
                changed,
                "MCP_E_UTF8" if function.result == "mcp_status" else bad,
                f"{it.name} is not UTF-8",
            )
        )
    for name, expected in rule.enums.items():
        for absurd in ABSURD_NUMBERS:
            if not (absurd == "0" and rule.has_zero in (True, name)):
                found.append(case({name: absurd}, expected, f"{name} is {absurd}"))
    found += [
        case(changed, expected, ", ".join(f"{k} is {v}" for k, v in changed.items()))
        for changed, expected in rule.more
    ]
    return found


def complaints(functions):
    names = [function.name for function in functions]
    found = [f"{name} has no rule in null_rules.py" for name in names if name not in RULES]
    found += [
        f"null_rules.py has a rule for {name}, which the header lacks"
        for name in RULES
        if name not in names
    ]
    for function in functions:
        known = {parameter.name for parameter in function.parameters}
        rule = RULES.get(function.name, Rule())
        named = {*rule.valid, *rule.optional, *rule.null, *rule.enums}
        found += [f"{function.name} has no parameter {name}" for name in sorted(named - known)]
    if SYMBOLS.exists():
        exported = {
            line.split()[0]
            for line in SYMBOLS.read_text().splitlines()
            if line.strip() and line[0] != "#"
        }
        found += [
            f"{name} is in {SYMBOLS.name} or in the header, but not in both"
            for name in sorted(exported ^ set(names))
        ]
    return found


def program(functions):
    out = ["/* Made by tests/c/null_args.py. */", '#include "fixture.h"', ""]
    calls, number = [], 0
    for index, function in enumerate(functions):
        rule = RULES[function.name]
        for case in cases(function, rule):
            out.append(case.write(number))
            calls.append(f'    {{case_{number}, {rule.where}, {index}, "{case.what}"}},')
            number += 1
    out += [
        "static const struct {",
        "    void (*body)(struct fixture *);",
        "    enum where where;",
        "    int function;",
        "    const char *what;",
        "} cases[] = {",
        *calls,
        "};",
        "",
        "int main(void)",
        "{",
        f"    char exercised[{len(functions)}] = {{0}};",
        "    size_t i, count = 0;",
        "    for (i = 0; i < sizeof cases / sizeof *cases; i++) {",
        "        int before = check_failures;",
        "        run_case(cases[i].body, cases[i].where);",
        '        if (check_failures > before) fprintf(stderr, "  in the case of %s\\n", cases[i].what);',
        "        exercised[cases[i].function] = 1;",
        "    }",
        "    for (i = 0; i < sizeof exercised; i++) count += (size_t)exercised[i];",
        f"    CHECK(count == {len(functions)});",
        '    printf("%d functions, %d cases\\n", (int)count, (int)(sizeof cases / sizeof *cases));',
        "    return check_report();",
        "}",
        "",
    ]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--header", type=Path, default=ROOT / "include" / "mcplite.h")
    options = parser.parse_args()
    functions = declarations(options.header.read_text())
    found = complaints(functions)
    if found or not functions:
        print("\n".join(found or ["no declarations found"]), file=sys.stderr)
        return 1
    output = options.output / "null_args.c" if options.output.is_dir() else options.output
    output.write_text(program(functions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
