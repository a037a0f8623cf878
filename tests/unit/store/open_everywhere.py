# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Open every group of files with h5py and xarray; exit 1 naming what does not fit."""

import sys

import h5py
import xarray


def text_of(value):
    """h5py gives fixed-length text as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def check_dataset(name, dataset):
    if h5py.h5ds.is_scale(dataset.id):
        return []
    problems = []
    for axis, dimension in enumerate(dataset.dims):
        if len(dimension) != 1:
            problems.append(f"{name}: axis {axis} has {len(dimension)} scales")
    for attribute in ("units", "long_name"):
        if attribute not in dataset.attrs:
            problems.append(f"{name}: no attribute {attribute}")
    if "flag_values" in dataset.attrs:
        meanings = text_of(dataset.attrs["flag_meanings"]).split()
        if len(meanings) != len(dataset.attrs["flag_values"]):
            problems.append(f"{name}: flag_values and flag_meanings differ in number")
        if dataset.size and int(dataset[...].max()) >= len(meanings):
            problems.append(f"{name}: a value without a meaning")
    for suffix, unit in (("_ps", "ps"), ("_bytes", "byte")):
        # <text>_bytes with its <text>_offsets is text, not a size.
        is_text = name[: -len(suffix)] + "_offsets" in dataset.file
        units = text_of(dataset.attrs["units"])
        if name.endswith(suffix) and not is_text and units != unit:
            problems.append(f"{name}: units {units!r}, not {unit!r}")
    return problems


def check_file(path):
    problems, groups = [], []
    with h5py.File(path) as file:
        for attribute in ("format", "schema_version", "software", "softwareVersion",
                          "title"):
            if attribute not in file.attrs:
                problems.append(f"/: no attribute {attribute}")

        def visit(name, item):
            if isinstance(item, h5py.Group):
                groups.append(name)
            else:
                problems.extend(check_dataset("/" + name, item))

        file.visititems(visit)
    datasets = 0
    for group in groups:
        with xarray.open_dataset(path, group=group, engine="h5netcdf") as opened:
            opened.load()
            datasets += len(opened.variables)
            for variable in opened.variables.values():
                if not isinstance(variable.attrs["units"], str):
                    problems.append(f"/{group}: units that xarray does not take for text")
    if datasets == 0:
        problems.append("xarray found nothing")
    return problems


def main(paths):
    failed = False
    for path in paths:
        for problem in check_file(path):
            print(f"{path}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
