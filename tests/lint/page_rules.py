# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Rules on what files say of other files: links, pages and decks that are named exist."""

import os
import re

from source_tree import Finding, suffix

FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
PAGE_NAME = re.compile(r"\bdocs/[a-z0-9_./-]+\.md\b")
DECK_NAME = re.compile(r"(?<![\w./-])(inputs/[\w./-]+\.toml)\b")
DECK_INCLUDE = re.compile(r"^\s*include\s*=\s*\[(.*?)\]", re.MULTILINE | re.DOTALL)
SAMPLES = "tests/lint/self_test.py"  # names pages that are missing on purpose
INDEX = "docs/index.md"
FIXTURES = "tests/data/"
FIXTURE_SOURCES = FIXTURES + "SOURCES.md"
MAX_FIXTURE_BYTES = 256 * 1024
DECK_LISTERS = ("docs/", "jobscripts/", "spack/", ".ci/", "inputs/", "README.md")


def check_links(tree):
    """Relative links of pages reach a file, and their #fragment a heading of it."""
    findings = []
    for path in tree.pages():
        for number, line in _prose(tree, path):
            for target in LINK.findall(line):
                problem = _link_problem(tree, path, target)
                if problem:
                    findings.append(Finding(path, number, problem))
    return findings


def _prose(tree, path):
    inside = False
    for number, line in enumerate(tree.lines(path), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, re.sub(r"`[^`]*`", "", line)


def _link_problem(tree, path, target):
    if EXTERNAL.match(target):
        return None
    if target.startswith("/"):
        return f"link {target} is absolute (it breaks when the tree moves)"
    name, _, fragment = target.partition("#")
    page = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if page.startswith(".."):
        return f"link {target} leaves the tree"
    if not tree.exists(page):
        return f"link {target} leads nowhere"
    if fragment and suffix(page) == ".md" and fragment not in _anchors(tree, page):
        return f"link {target}: {page} has no heading #{fragment}"
    return None


def check_reachable(tree):
    """Every page of docs/ can be reached from its index; a linked folder stands for its pages."""
    if not tree.exists(INDEX):
        return [Finding(INDEX, 0, "the index is missing")]
    seen, todo = set(), [INDEX]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        for _, line in _prose(tree, page):
            for target in LINK.findall(line):
                name = target.partition("#")[0]
                if not name or EXTERNAL.match(target):
                    continue
                place = os.path.normpath(os.path.join(os.path.dirname(page), name))
                todo += [p for p in tree.pages() if p == place or os.path.dirname(p) == place]
    return [Finding(page, 0, f"cannot be reached from {INDEX} by links")
            for page in tree.pages() if page.startswith("docs/") and page not in seen]


def _anchors(tree, path):
    """Anchors as GitHub and MyST make them from headings."""
    anchors = set()
    inside = False
    for line in tree.lines(path):
        if FENCE.match(line):
            inside = not inside
        match = None if inside else HEADING.match(line)
        if match:
            plain = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            anchors.add(plain.replace(" ", "-"))
    return anchors


def check_pages(tree):
    """A page named in a source, a script or another page exists."""
    findings = []
    for path in tree.sources() + tree.pages():
        if path == SAMPLES:
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for page in PAGE_NAME.findall(line):
                if not tree.exists(page):
                    findings.append(Finding(path, number, f"{page} does not exist"))
    return findings


def check_decks(tree):
    """Decks named in pages and scripts, and the pieces decks include, exist."""
    findings = []
    for path in tree.sources() + tree.pages():
        if not path.startswith(DECK_LISTERS):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for deck in DECK_NAME.findall(line):
                if not tree.exists(deck):
                    findings.append(Finding(path, number, f"{deck} does not exist"))
    for path in tree.paths:
        if path.startswith("inputs/") and suffix(path) == ".toml":
            findings += _missing_pieces(tree, path)
    return findings


def _missing_pieces(tree, path):
    text = re.sub(r"(?m)^\s*#.*$", "", tree.text(path))
    for names in DECK_INCLUDE.findall(text):
        for name in re.findall(r"\"([^\"]+)\"", names):
            piece = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if not tree.exists(piece):
                yield Finding(path, 0, f"included piece {name} does not exist")


def check_fixtures(tree):
    """Fixtures are small, and SOURCES.md says how each (or its folder) came to be."""
    fixtures = [p for p in tree.paths if tree.is_fixture(p) and p != FIXTURE_SOURCES]
    told = tree.text(FIXTURE_SOURCES) if tree.exists(FIXTURE_SOURCES) else ""
    findings = []
    for path in fixtures:
        size = (tree.root / path).stat().st_size
        if size > MAX_FIXTURE_BYTES:
            findings.append(Finding(path, 0, f"{size} bytes, {MAX_FIXTURE_BYTES} allowed"))
        name = path[len(FIXTURES):]
        if name not in told and name.split("/")[0] + "/" not in told:
            findings.append(Finding(path, 0, f"{FIXTURE_SOURCES} does not say how it was made"))
    return findings
