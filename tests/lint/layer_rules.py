# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms include only rooms below them, and each external API lives in its place.

Both tables are in src/cmake/layers.txt: rows `room allowed...` and `<header glob> place...`.
"""

import fnmatch
import os
import re

from source_tree import Finding

TABLE = "src/cmake/layers.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM_HEADER = re.compile(r"^prismllm/([a-z_0-9]+)/")
STANDARD_HEADER = re.compile(r"^[a-z_0-9]+$")
CMAKE_ROOM = re.compile(r"prismllm_room\(\s*(\w+)([^)]*)\)")
CMAKE_KEYWORDS = {"SOURCES", "ROOMS", "LINKS"}


class Layers:
    """The parsed table: rooms in order with what they may include, and the API fences."""

    def __init__(self, tree):
        self.rooms = {}
        self.fences = {}
        self.findings = []
        for number, line in enumerate(tree.lines(TABLE), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0].startswith("<"):
                self.fences[words[0].strip("<>")] = words[1:]
                continue
            for other in words[1:]:
                if other not in self.rooms:
                    self.findings.append(Finding(
                        TABLE, number, f"room {words[0]} may include {other}, which is not a row "
                        "above it (rows are ordered, so that no cycle can be written)"))
            self.rooms[words[0]] = set(words[1:])

    def allowed(self, room, other):
        return other == room or other in self.rooms.get(room, set())

    def places_of(self, header):
        """Places where an external header may be included; None when no row names it."""
        for pattern, places in self.fences.items():
            if fnmatch.fnmatchcase(header, pattern):
                return places
        return None


def room_of(path):
    """(room, is_public) of a file of src/ or include/prismllm/, else (None, False)."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1], False
    if parts[:2] == ["include", "prismllm"] and len(parts) > 3:
        return parts[2], True
    return None, False


def includes_of(tree, path):
    for number, line in enumerate(tree.lines(path), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def check_layers(tree):
    """Every include of another room is allowed by the table; private headers stay at home."""
    layers = Layers(tree)
    findings = list(layers.findings)
    for path in tree.cpp():
        room, is_public = room_of(path)
        if room is None:
            continue
        if room not in layers.rooms:
            findings.append(Finding(path, 0, f"room {room} has no row in {TABLE}"))
            continue
        for number, quote, header in includes_of(tree, path):
            problem = _include_problem(tree, layers, path, quote, header, is_public)
            if problem:
                findings.append(Finding(path, number, problem))
    return findings


def _include_problem(tree, layers, path, quote, header, is_public):
    room, _ = room_of(path)
    match = ROOM_HEADER.match(header)
    if match:
        if quote == "<":
            return f"write our own headers in quotes: \"{header}\""
        if not layers.allowed(room, match.group(1)):
            return (f"room {room} may not include room {match.group(1)} (see {TABLE}). Move the "
                    "code to a room above both, or pass the value in")
        if not tree.exists(os.path.join("include", header)):
            return f"include/{header} does not exist"
        return None
    if quote == "<":
        return None
    if is_public:
        return f"public header includes private header \"{header}\" (it is not installed)"
    beside = os.path.normpath(os.path.join(os.path.dirname(path), header))
    at_home = os.path.normpath(os.path.join("src", room, header))
    for candidate in (beside, at_home):
        if tree.exists(candidate):
            if room_of(candidate)[0] == room:
                return None
            return f"\"{header}\" is a private header of another place ({candidate})"
    return f"\"{header}\" is not a private header of room {room}"


def check_fences(tree):
    """External headers appear only where the table says; public headers bring in the fewest."""
    layers = Layers(tree)
    findings = []
    for path in tree.cpp():
        room, _ = room_of(path)
        if room is None:
            continue
        for number, quote, header in includes_of(tree, path):
            if quote == '"' or ROOM_HEADER.match(header) or STANDARD_HEADER.match(header):
                continue
            places = layers.places_of(header)
            if places is None:
                findings.append(Finding(
                    path, number, f"<{header}> has no row in {TABLE} (each external API has one "
                    "home). Add the row with its place, or do without"))
            elif not any(_within(path, place) for place in places):
                findings.append(Finding(
                    path, number, f"<{header}> may be included by {' '.join(places)} only"))
    return findings


def _within(path, place):
    return path == place or path.startswith(place.rstrip("/") + "/")


def check_links(tree):
    """The ROOMS a room links are those the table allows, and cover what it includes."""
    layers = Layers(tree)
    findings = []
    for room in layers.rooms:
        path = f"src/{room}/CMakeLists.txt"
        if not tree.exists(path):
            findings.append(Finding(TABLE, 0, f"room {room} has no {path}"))
            continue
        match = CMAKE_ROOM.search(tree.text(path))
        if not match:
            continue  # the program, not a library
        linked = _words_after("ROOMS", match.group(2).split())
        for other in sorted(linked - layers.rooms[room]):
            findings.append(Finding(path, 0, f"room {room} links {other}, against {TABLE}"))
        reachable = _reachable(tree, linked)
        for other in sorted(_included_rooms(tree, room) - reachable - {room}):
            findings.append(Finding(path, 0, f"room {room} includes {other} but does not link it"))
    return findings


def _words_after(keyword, words):
    if keyword not in words:
        return set()
    rest = words[words.index(keyword) + 1:]
    stop = next((i for i, word in enumerate(rest) if word in CMAKE_KEYWORDS), len(rest))
    return set(rest[:stop])


def _reachable(tree, rooms):
    seen, todo = set(), list(rooms)
    while todo:
        room = todo.pop()
        if room in seen:
            continue
        seen.add(room)
        path = f"src/{room}/CMakeLists.txt"
        match = CMAKE_ROOM.search(tree.text(path)) if tree.exists(path) else None
        if match:
            todo += _words_after("ROOMS", match.group(2).split())
    return seen


def _included_rooms(tree, room):
    rooms = set()
    for path in tree.cpp():
        if room_of(path)[0] == room:
            for _, _, header in includes_of(tree, path):
                match = ROOM_HEADER.match(header)
                if match:
                    rooms.add(match.group(1))
    return rooms
