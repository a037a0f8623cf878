# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""All that an HDF5 file says, bit by bit, without how it came to be."""

import sys

from workplace import SKIPPED

try:
    import h5py
    import numpy
except ImportError as problem:
    print(f"skipped: {problem} (package python3-h5py)")
    sys.exit(SKIPPED)


def _attributes(item):
    # References hold places in the file, and those follow the size of /provenance.
    found = {}
    for name, value in item.attrs.items():
        array = numpy.asarray(value)
        if array.dtype.kind != "O" and array.dtype.names is None:
            found[name] = (str(array.dtype), array.shape, array.tobytes())
    return found


def content(path):
    """{place: (type, shape, bytes, attributes)} of everything outside /provenance."""
    found = {}

    def visit(name, item):
        if name.split("/")[0] == "provenance":
            return
        if isinstance(item, h5py.Dataset):
            found[name] = (str(item.dtype), item.shape, item[()].tobytes(), _attributes(item))
        else:
            found[name] = _attributes(item)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
        found["/"] = _attributes(file)
    return found


def differences(one, other):
    """Places where two contents differ."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
