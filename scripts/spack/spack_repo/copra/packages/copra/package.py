# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe of copra, for Spack 0.23 and later (docs/CLUSTER.md)."""

import json
from pathlib import Path

from spack.package import *

try:  # Spack 1.0 and later; before, spack.package has these classes
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass

# copra's own folder, which this file is part of
SOURCE = Path(__file__).resolve().parents[6]


class Copra(MakefilePackage, CudaPackage):
    """Solvers for combinatorial optimisation on CPUs, GPUs and several nodes, with proofs of
    optimality; the experiments of five papers, reproduced, and a library for C and Python."""

    url = f"file://{SOURCE}/build/copra-2.0.0.tar.gz"  # written by make dist
    git = f"file://{SOURCE}"

    license("BSD-3-Clause", checked_by="copra")

    version("main", branch="main")
    # without a checksum: the tarball holds this file. scripts/spack/release.sh adds it
    version("2.0.0")

    variant("hip", default=False, description="Build for AMD GPUs (never run on one)")
    variant(
        "amdgpu_target",
        description="AMD GPU architecture",
        values=any_combination_of("gfx90a", "gfx942", "gfx1030", "gfx1100"),
        sticky=True,
        when="+hip",
    )
    variant("mpi", default=True, description="Search on several nodes, with OpenMPI or MPICH")
    variant("python", default=False, description="Install the Python module where Python finds it")
    variant("plots", default=False, description="Draw the plots of reports with gnuplot")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake@4.2:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson@2.10:")
    depends_on("mpi@3:", when="+mpi")
    depends_on("gnuplot", type="run", when="+plots")
    depends_on("cmocka", type="test")
    depends_on("jq", type=("run", "test"))

    with when("+hip"):
        depends_on("hip+rocm")
        depends_on("hsa-rocr-dev")
        depends_on("llvm-amdgpu", type="build")
        depends_on("llvm-amdgpu@5.3:", type="build", when="amdgpu_target=gfx1100")
        depends_on("llvm-amdgpu@5.7:", type="build", when="amdgpu_target=gfx942")
    with when("+python"):
        extends("python")
        depends_on("python@3.8:", type=("build", "run"))

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs, for instance cuda_arch=90")
    conflicts(
        "amdgpu_target=none", when="+hip", msg="name the GPUs, for instance amdgpu_target=gfx90a"
    )
    for _arch in CudaPackage.cuda_arch_values:
        if int(_arch.rstrip("af")) < 75:
            conflicts(
                f"cuda_arch={_arch}", when="+cuda", msg="the kernels need cuda_arch=75 or newer"
            )

    @property
    def settings(self):
        """The settings of every make; Spack's compilers add the flags of the processor."""
        spec = self.spec
        settings = {
            "SETUP": 0,
            "NATIVE": 0,
            "CMOCKA": 1 if self.run_tests and "cmocka" in self.spec else "",
            "CUDA": int(spec.satisfies("+cuda")),
            "HIP": int(spec.satisfies("+hip")),
        }
        if spec.satisfies("+cuda"):
            settings["NVCC"] = spec["cuda"].prefix.bin.nvcc
            settings["CUDA_ARCH"] = " ".join(self.cuda_flags(spec.variants["cuda_arch"].value))
        if spec.satisfies("+hip"):
            settings["HIPCC"] = spec["hip"].prefix.bin.hipcc
            settings["HIP_ARCHS"] = " ".join(spec.variants["amdgpu_target"].value)
        if spec.satisfies("+mpi"):
            settings["MPICC"] = spec["mpi"].mpicc
        else:
            settings["MPI"] = ""
        return [f"{name}={value}" for name, value in settings.items()]

    def setup_build_environment(self, env):
        if self.spec.satisfies("+cuda"):  # nvcc uses the same host compiler
            env.set("NVCC_PREPEND_FLAGS", f"-ccbin={spack_cxx}")
        # the compilers of Spack know only what is linked; Spack 0.23.0 can leave out what tests need
        if self.run_tests and "cmocka" in self.spec:
            cmocka = self.spec["cmocka"]
            env.prepend_path("CPATH", cmocka.prefix.include)
            for folder in cmocka.libs.directories:
                env.prepend_path("LIBRARY_PATH", folder)
                env.prepend_path("LD_LIBRARY_PATH", folder)

    def build(self, spec, prefix):
        make("all", "lib", *self.settings)

    def check(self):
        make("test", *self.settings)

    def install(self, spec, prefix):
        folders = [f"PREFIX={prefix}"]
        if spec.satisfies("+python"):
            folders.append(f"PYTHONDIR={python_purelib}")
        make("install", *self.settings, *folders)

    def test_version(self):
        """the programs name their version"""
        output = which(self.prefix.bin.copra)("--version", output=str.split, error=str.split)
        assert self.spec.satisfies("@main") or f"copra {self.version}" in output

    def test_solve(self):
        """a search has the exact count"""
        solve = which(join_path(self.prefix.bin, "helbecque-pool"))
        output = solve(
            "solve", "--problem", "nqueens", "--instance", "8", "--json", "-", output=str
        )
        result = json.loads(output)
        assert (
            result["objective"] == 92
            and result["nodes"]["explored"] == 2056
            and result["verified"]
        )

    def test_python(self):
        """the module finds its library"""
        if self.spec.satisfies("~python"):
            raise SkipTest("built without +python")
        solve = "import copra; print(copra.solve(copra.queens(8)).objective)"
        assert "92" in self.spec["python"].command("-c", solve, output=str)
