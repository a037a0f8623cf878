# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""The Spack recipe agrees with the CMake build, checked without Spack.

Spack cannot be installed from Debian, so the recipe is executed here against stand-ins for the
directives; what it declares is compared with the options, packages and versions of CMake.
"""

import contextlib
import os
import re
import sys
import types

from source_tree import Finding

REPO = "spack/spack_repo/prismllm"
RECIPE = REPO + "/packages/prismllm/package.py"
ENVIRONMENTS = "spack/envs/"
DEPENDENCIES = ("src/cmake/PrismllmDependencies.cmake", "src/cmake/PrismllmCuda.cmake")
CHANGELOG = "docs/reference/changelog.md"
CITATION = "CITATION.cff"

# find_package or pkg-config name in CMake, lower case -> Spack package
SPACK_NAMES = {
    "mpi": "mpi", "hdf5": "hdf5", "pkgconfig": "pkgconfig", "hwloc": "hwloc", "fmt": "fmt",
    "tl-expected": "tl-expected", "tomlplusplus": "tomlplusplus", "cli11": "cli11",
    "nlohmann_json": "nlohmann-json", "gtest": "googletest", "kokkos": "kokkos", "blas": "blas",
    "sqlite3": "sqlite", "simdjson": "simdjson", "threads": None, "benchmark": "benchmark",
    "cudatoolkit": "cuda", "nccl": "nccl",
}
TOOLCHAIN = {"c", "cxx", "cmake", "python"}
# Options for the people who change the code; a site has no use for them.
DEVELOPER_OPTIONS = {"PRISMLLM_WARNINGS_AS_ERRORS", "PRISMLLM_ENABLE_BENCHMARKS"}
DEVELOPER_CONDITION = re.compile(r"^\s*if\(PRISMLLM_ENABLE_BENCHMARKS\)")


class Recipe:
    """What package.py declares."""

    def __init__(self):
        self.versions = {}
        self.variants = {}
        self.dependencies = {}  # name -> (spec, types)
        self.defined = {}       # CMake name -> variant or None
        self.class_name = None
        self.license = None


def load_recipe(path):
    """Run the recipe against stand-ins. Raises whatever a broken recipe raises."""
    recipe = Recipe()
    package = types.ModuleType("spack.package")
    package.version = lambda name, **_: recipe.versions.setdefault(name, True)
    package.variant = lambda name, **options: recipe.variants.setdefault(name, options)
    package.license = lambda text, **_: setattr(recipe, "license", text)
    package.conflicts = package.maintainers = package.requires = _ignore
    package.which = _ignore

    def depends_on(spec, type=("build", "link"), when=None):
        name = re.match(r"[a-z0-9-]+", spec).group(0)
        kinds = {type} if isinstance(type, str) else set(type)
        recipe.dependencies[name] = (spec, kinds)

    package.depends_on = depends_on

    class CMakePackage:
        run_tests = False

        def define_from_variant(self, name, variant=None):
            recipe.defined[name] = variant or name.lower()

        def define(self, name, value):
            recipe.defined[name] = None

    builtin = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    builtin.CMakePackage = CMakePackage
    stand_ins = {"spack": types.ModuleType("spack"), "spack.package": package,
                 builtin.__name__: builtin}
    for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        stand_ins[name] = types.ModuleType(name)
    with _modules(stand_ins):
        scope = {"__file__": str(path), "__name__": "recipe"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
    for value in scope.values():
        if isinstance(value, type) and CMakePackage in value.__bases__:
            recipe.class_name = value.__name__
            value().cmake_args()
    return recipe


def _ignore(*_, **__):
    return None


@contextlib.contextmanager
def _modules(stand_ins):
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def cmake_options(tree):
    """Names of option() and of cached AUTO, ON, OFF settings in the top CMakeLists.txt and the modules of src/cmake."""
    names = set()
    for path in tree.cmake():
        if path == "CMakeLists.txt" or path.startswith("src/cmake/"):
            names |= set(re.findall(r"(?m)^\s*option\(\s*(\w+)", tree.text(path)))
            names |= set(re.findall(r"(?m)^\s*set\(\s*(\w+)\s+AUTO\s+CACHE", tree.text(path)))
    return names


def cmake_packages(tree):
    """CMake package -> (least version or None, needed by tests only)."""
    packages = {}
    condition = ""
    for line in (line for path in DEPENDENCIES if tree.exists(path) for line in tree.lines(path)):
        if re.match(r"^\s*if\(", line):
            condition = line
        elif re.match(r"^\s*endif\(", line):
            condition = ""
        if DEVELOPER_CONDITION.match(condition):
            continue
        tests_only = "BUILD_TESTING" in condition
        found = re.match(r"^\s*find_package\(\s*([\w-]+)\s*([\d.]+)?", line)
        if found:
            packages[found.group(1).lower()] = (found.group(2), tests_only)
        library = re.match(r"^\s*find_library\(\s*\w+\s+(\w+)", line)
        if library:
            packages[library.group(1)] = (None, tests_only)
        for name, least in re.findall(r"\b([\w-]+)>=([\d.]+)", line):
            packages[name.lower()] = (least, tests_only)
    return packages


def check_recipe(tree):
    """Variants are options, dependencies are find_package lines, environments find the recipe."""
    if not tree.exists(RECIPE):
        return [Finding(RECIPE, 0, "the recipe is missing")]
    try:
        recipe = load_recipe(tree.root / RECIPE)
    except Exception as error:  # whatever a recipe can do wrong is a finding
        return [Finding(RECIPE, 0, f"does not run: {type(error).__name__}: {error}")]
    problems = []
    if recipe.class_name != "Prismllm":
        problems.append(f"class is {recipe.class_name}, Spack wants Prismllm for prismllm")
    if recipe.license != "Apache-2.0":
        problems.append(f"license is {recipe.license}, LICENSE is Apache-2.0")
    problems += _option_problems(recipe, cmake_options(tree) | {"BUILD_TESTING"})
    problems += _dependency_problems(tree, recipe)
    return [Finding(RECIPE, 0, text) for text in problems] + _environment_findings(tree)


def _option_problems(recipe, options):
    for name, variant in recipe.defined.items():
        if name not in options:
            yield f"sets {name}, which is no option of CMake"
        if variant and variant not in recipe.variants:
            yield f"sets {name} from variant {variant}, which is not declared"
    for variant in recipe.variants:
        if variant not in recipe.defined.values():
            yield f"variant {variant} sets no option of CMake"
    for name in sorted(options - set(recipe.defined) - DEVELOPER_OPTIONS):
        yield f"option {name} of CMake is not set"


def _dependency_problems(tree, recipe):
    needed = {}
    for package, (least, tests_only) in cmake_packages(tree).items():
        if package not in SPACK_NAMES:
            yield f"CMake package {package} has no Spack name in tests/lint/spack_rules.py"
        elif SPACK_NAMES[package]:
            needed[SPACK_NAMES[package]] = (least, tests_only)
    top = tree.text("CMakeLists.txt")
    least_cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", top)
    needed["cmake"] = (least_cmake.group(1) if least_cmake else None, False)
    for name, (least, tests_only) in needed.items():
        if name not in recipe.dependencies:
            yield f"depends_on(\"{name}\") is missing, CMake looks for it"
            continue
        spec, kinds = recipe.dependencies[name]
        if tests_only != (kinds == {"test"}):
            yield f"{name} is needed by {'tests only' if tests_only else 'the build'}, not {kinds}"
        if least and not re.search(rf"@{re.escape(least)}(\.\d+)*:", spec):
            yield f"{spec} does not ask for the {least} that CMake asks for"
    for name in sorted(set(recipe.dependencies) - set(needed) - TOOLCHAIN):
        yield f"depends_on(\"{name}\"), but CMake looks for no such package"


def _environment_findings(tree):
    findings = []
    for path in tree.paths:
        if not (path.startswith(ENVIRONMENTS) and path.endswith("/spack.yaml")):
            continue
        folder = os.path.dirname(path)
        for name in re.findall(r"\$env/(\S+)", tree.text(path)):
            if not tree.exists(os.path.join(folder, name, "repo.yaml")):
                findings.append(Finding(path, 0, f"no package repository at $env/{name}"))
    return findings


def check_versions(tree):
    """One version: CMake, recipe, citation and changelog name the same."""
    match = re.search(r"project\(\s*PrismLLM\s+VERSION\s+([\d.]+)", tree.text("CMakeLists.txt"))
    if not match:
        return [Finding("CMakeLists.txt", 0, "project(PrismLLM VERSION x.y.z) is missing")]
    version = match.group(1)
    stated = {
        RECIPE: r"(?m)^\s*version\(\"(\d[\d.]*)\"",
        CITATION: r"(?m)^version:\s*\"?([\d.]+)",
        CHANGELOG: r"(?m)^## (\d[\d.]*)",
    }
    findings = []
    for path, pattern in stated.items():
        found = re.search(pattern, tree.text(path)) if tree.exists(path) else None
        if not found:
            findings.append(Finding(path, 0, f"names no version, the project is at {version}"))
        elif found.group(1) != version:
            findings.append(Finding(path, 0, f"is at {found.group(1)}, the project at {version}"))
    return findings
