# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""A type is defined once.

Two types of one name and namespace compile and link where no file sees both; the linker then keeps
one of each pair of equally named inline functions, for both of them.
"""

import re

from source_tree import Finding

NAMESPACE = re.compile(r"^namespace\s*([\w:]*)\s*\{")
NAMESPACE_END = re.compile(r"^\}\s*// namespace")
TYPE = re.compile(r"^(?:struct|class|enum(?:\s+class)?)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?\{")


def types_of(tree, path):
    """(line, qualified name) of the types outside of other types and of nameless namespaces."""
    inside = []
    for number, line in enumerate(tree.lines(path), 1):
        opened = NAMESPACE.match(line)
        if opened:
            inside.append(opened.group(1))
        elif NAMESPACE_END.match(line):
            if inside:
                inside.pop()
        else:
            found = TYPE.match(line)
            if found and all(inside):
                yield number, "::".join([*inside, found.group(1)])


def check_definitions(tree):
    findings, first = [], {}
    for path in tree.cpp():
        if not path.startswith(("src/", "include/")):
            continue
        for number, name in types_of(tree, path):
            if name in first:
                findings.append(Finding(
                    path, number, f"{name} is defined in {first[name]} too (each needs a name of "
                    "its own, or the nameless namespace)"))
            else:
                first[name] = f"{path}:{number}"
    return findings
