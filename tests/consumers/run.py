#!/usr/bin/env python3
"""Installs mcplite as a user would, and builds and runs programs outside of the repository with it.

usage: tests/consumers/run.py

Needs pkg-config and cmake, and uses ninja too where there is one; those of the Python environment that
runs this go first. Everything is made under target/consumers.
"""

import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from library import ROOT, Library, expect

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "consumers"
PREFIX = WORK / "a prefix"  # A space in a path must not stop anybody.
MOVED = WORK / "another place"
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DESTDIR", "LIBDIR", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LD_LIBRARY_PATH")
}
ENVIRONMENT["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{ENVIRONMENT['PATH']}"


class Results:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, proof, *arguments):
        try:
            proof(*arguments)
        except Exception as error:
            self.failed += 1
            print(f"FAILED {name}")
            if isinstance(error, (AssertionError, subprocess.CalledProcessError)):
                print(error)
            else:
                traceback.print_exc(file=sys.stdout)
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)


def run(*command, cwd=ROOT, **variables):
    """Runs a command quietly; what it said is in the error if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=ENVIRONMENT | {name: str(value) for name, value in variables.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    expect(done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def fresh(name):
    """A copy of a consumer in an empty folder, so that nothing of the repository is near."""
    folder = WORK / "projects" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / name, folder)
    return folder


def install(library, prefix, **variables):
    run("scripts/install-library", "install", "--built", library.folder, PREFIX=prefix, **variables)


def uninstall(prefix, **variables):
    run("scripts/install-library", "uninstall", PREFIX=prefix, **variables)


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def links_to(program, library_folder):
    """Whether a program loads the shared library, and which."""
    lines = run("ldd", program).splitlines()
    found = [line for line in lines if "libmcplite" in line]
    if library_folder is None:
        expect(not found, f"{program} is linked with {found}")
    else:
        expect(len(found) == 1 and str(library_folder) in found[0], f"{program} is linked with {found}")


def plain(library):
    folder = fresh("plain")
    run("make", f"PREFIX={PREFIX}", f"NATIVE_LIBS={library.native_libs}", cwd=folder)
    run(folder / "shared")
    run(folder / "static")
    links_to(folder / "shared", PREFIX / "lib")
    links_to(folder / "static", None)


def pkg_config(library):
    folder = fresh("pkg-config")
    search = {"PKG_CONFIG_PATH": PREFIX / "lib" / "pkgconfig"}
    version = run("pkg-config", "--modversion", "mcplite", **search).strip()
    expect(version == library.version, f"pkg-config says {version}")
    run("make", cwd=folder, **search)
    run(folder / "shared")
    run(folder / "static")
    links_to(folder / "shared", PREFIX / "lib")
    links_to(folder / "static", None)


def cmake(name, generator, programs, *definitions):
    folder = fresh(name)
    build = folder / "build"
    command = ["cmake", "-S", folder, "-B", build, "-G", generator, "-DCMAKE_BUILD_TYPE=Release"]
    run(*command, *(f"-D{definition}" for definition in definitions), cwd=folder)
    run("cmake", "--build", build, cwd=folder)
    for program in programs:
        run(build / program)
    return build


def cmake_find_package(generator, prefix, library):
    build = cmake(
        "cmake-find-package",
        generator,
        ["c_shared", "c_static", "cxx_shared", "cxx_static"],
        f"CMAKE_PREFIX_PATH={prefix}",
        f"MCPLITE_EXPECTED={library.version}",
    )
    links_to(build / "c_shared", prefix / "lib")
    links_to(build / "cxx_static", None)


def cmake_add_subdirectory(generator):
    programs = ["c_shared", "c_static"]
    build = cmake("cmake-add-subdirectory", generator, programs, f"MCPLITE_SOURCE={ROOT}")
    links_to(build / "c_shared", build / "mcplite" / "library")
    links_to(build / "c_static", None)
    again = run("cmake", "--build", build)
    expect("Building mcplite" not in again, f"the library is built again:\n{again}")


def cmake_fetchcontent(generator):
    cmake("cmake-fetchcontent", generator, ["cxx_static"], f"MCPLITE_SOURCE={ROOT}")


def generators():
    found = [("make", "Unix Makefiles")]
    if shutil.which("ninja", path=ENVIRONMENT["PATH"]):
        found.append(("ninja", "Ninja"))
    return found


def uninstall_leaves_nothing():
    uninstall(MOVED)
    expect(not MOVED.exists(), f"left: {files_below(MOVED)}")


def package_is_complete(library):
    """A package: the files where they will be, below another root."""
    root, version = WORK / "package", library.version
    lib = "usr/lib64/"
    install(library, "/usr", DESTDIR=root, LIBDIR="lib64")
    expected = [f"usr/include/{name}" for name in ("mcplite.h", "mcplite.hpp", "mcplite_http.hpp")]
    expected += ["usr/share/mcplite/manifest.txt"]
    expected += [lib + f"libmcplite{end}" for end in (".a", ".so", f".so.{library.abi}", f".so.{version}")]
    expected += [lib + f"cmake/mcplite/mcpliteConfig{end}.cmake" for end in ("", "Version")]
    expected += [lib + "pkgconfig/mcplite.pc"]
    expect(files_below(root) == sorted(expected), f"installed: {files_below(root)}")
    pc = (root / lib / "pkgconfig/mcplite.pc").read_text()
    expect("prefix=/usr\n" in pc and "libdir=${prefix}/lib64\n" in pc, pc)
    library.native_libs_are_those_of(pc, "mcplite.pc")
    for path in root.rglob("*.cmake"):
        expect(str(root) not in path.read_text(), f"{path} names its folder")


def uninstall_keeps_what_others_put_there():
    root = WORK / "package"
    (root / "usr/lib64/libother.a").touch()
    uninstall("/usr", DESTDIR=root)
    expect(files_below(root) == ["usr/lib64/libother.a"], f"left: {files_below(root)}")
    expect(not (root / "usr/include").exists(), "an empty folder is left")


def native_libs_are_told_alike(library):
    config = (PREFIX / "lib/cmake/mcplite/mcpliteConfig.cmake").read_text()
    library.native_libs_are_those_of(config.replace(";", " "), "mcpliteConfig.cmake")
    readme = (ROOT / "README.md").read_text()
    library.native_libs_are_those_of(readme, "README.md")


def build(name, *options):
    folder = WORK / name
    run("scripts/build-library", *options, "--output", folder)
    return Library(folder)


def main():
    for folder in (PREFIX, MOVED, WORK / "package"):
        shutil.rmtree(folder, ignore_errors=True)
    WORK.mkdir(parents=True, exist_ok=True)
    library = build("library")
    lean = build("library-without-serve", "--without-serve", "--small")
    print(f"bytes: {library.sizes()}; without serve, small: {lean.sizes()}", flush=True)

    results = Results()
    results.check("without serve, the shared library is small", lean.is_small)
    for name, one in (("the library", library), ("the one without serve", lean)):
        results.check(f"{name} is stripped", one.is_stripped)
        results.check(f"{name} is named by its ABI", one.is_named_by_its_abi)
        results.check(f"{name} needs nothing unusual", one.needs_nothing_unusual)
        results.check(f"{name} exports what the ABI names", one.exports_what_the_abi_names)
        results.check(f"{name} keeps the unwinder to itself", one.keeps_the_unwinder_to_itself)

    results.check("install", install, library, PREFIX)
    results.check("native libraries are told alike", native_libs_are_told_alike, library)
    results.check("plain", plain, library)
    results.check("pkg-config", pkg_config, library)
    results.check("the installed tree can be moved", PREFIX.rename, MOVED)
    for name, generator in generators():
        results.check(f"cmake-find-package, {name}", cmake_find_package, generator, MOVED, library)
        results.check(f"cmake-add-subdirectory, {name}", cmake_add_subdirectory, generator)
        results.check(f"cmake-fetchcontent, {name}", cmake_fetchcontent, generator)
    results.check("uninstall leaves nothing", uninstall_leaves_nothing)
    results.check("a package is complete", package_is_complete, library)
    results.check("uninstall keeps what others put there", uninstall_keeps_what_others_put_there)

    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
