# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Prismllm(CMakePackage):
    """Emulate LLM training at full scale: a few processes replay thousands of ranks.

    An input deck describes a training job; PrismLLM slices it into classes of equal ranks,
    proves that their communication matches, and replays every rank over MPI.
    """

    # The recipe travels with the sources: it builds the checkout it lies in.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0")

    sanity_check_is_file = ["bin/prismllm", "lib/cmake/PrismLLM/PrismLLMConfig.cmake"]
    sanity_check_is_dir = ["share/prismllm/inputs/decks"]

    # main is preferred because a release can be fetched only once its tag exists.
    version("main", branch="main", preferred=True)
    version("0.1.0", tag="v0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("cuda", default=False, description="Build the plug-in for real ranks on GPUs")
    variant("checks", default=False, description="Check internal invariants at run time")

    depends_on("c", type="build")  # FindHDF5 compiles C
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi@3.0:")
    depends_on("hdf5@1.10: +mpi +hl")  # +hl: dimension scales
    depends_on("hwloc@2.7:")
    depends_on("fmt@9:")
    depends_on("tl-expected@1:")
    depends_on("tomlplusplus@3.3:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.11:")
    depends_on("kokkos@3.4:")
    depends_on("blas")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl@2.18:", when="+cuda")
    depends_on("googletest@1.12: +gmock", type="test")
    depends_on("python@3.9:", type="test")

    # std::span, concepts and defaulted comparisons in the standard library
    conflicts("%gcc@:10")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PRISMLLM_CHECKS", "checks"),
            self.define_from_variant("PRISMLLM_ENABLE_CUDA", "cuda"),
            self.define("BUILD_TESTING", self.run_tests),
        ]

    def test_version(self):
        """the installed program starts without MPI and names its version"""
        program = which(self.prefix.bin.prismllm, required=True)
        out = program("--version", output=str.split, error=str.split)
        if self.spec.satisfies("@0:"):
            assert str(self.spec.version) in out

    def test_check(self):
        """an installed deck is accepted, without launching ranks"""
        deck = self.prefix.share.prismllm.inputs.decks.join("llama3.1_405b_h100_8192.toml")
        program = which(self.prefix.bin.prismllm, required=True)
        program("check", deck)
