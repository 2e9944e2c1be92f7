#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds programs of strangers against an installed library that was moved.

usage: installed.py BUILD EXAMPLE [--debs]

BUILD is the build folder, EXAMPLE a C program over zenith.h that prints something. CMake projects and pkg-config have to
find headers and library; installed text holds no path of the machine. --debs makes the Debian packages instead, installs
them below a folder by dpkg, against the packages of this system, and asks lintian where it is installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(Stranger LANGUAGES C)
find_package(Zenith 0.1 CONFIG REQUIRED)
find_package(Zenith 0.1 CONFIG REQUIRED)
get_target_property(definitions Zenith::zenith INTERFACE_COMPILE_DEFINITIONS)
get_target_property(features Zenith::zenith INTERFACE_COMPILE_FEATURES)
if(definitions OR features)
  message(FATAL_ERROR "Zenith::zenith brings ${definitions} ${features}")
endif()
find_package(Zenith 9 CONFIG QUIET)
if(Zenith_FOUND)
  message(FATAL_ERROR "any version is taken for version 9")
endif()
add_executable(program program.c)
target_link_libraries(program PRIVATE Zenith::zenith)
"""


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def check_text(prefix, *forbidden):
    """No installed text names a folder of this machine."""
    for folder in ("lib/cmake", "lib/pkgconfig", "include"):
        for base, _, files in os.walk(os.path.join(prefix, folder)):
            for name in files:
                text = open(os.path.join(base, name)).read()
                for path in forbidden:
                    if path in text:
                        sys.exit(f"{name} holds {path}")


def check_build(prefix, example, scratch):
    source = os.path.join(scratch, "source")
    os.makedirs(source)
    shutil.copy(example, os.path.join(source, "program.c"))
    open(os.path.join(source, "CMakeLists.txt"), "w").write(PROJECT)
    run(["cmake", "-S", source, "-B", source + "/build", f"-DCMAKE_PREFIX_PATH={prefix}"])
    run(["cmake", "--build", source + "/build"])
    here = dict(os.environ, LD_LIBRARY_PATH=f"{prefix}/lib")
    expected = run([source + "/build/program"], env=here)
    if shutil.which("pkg-config"):
        # Packages below another root: the folders of the .pc file are theirs.
        here["PKG_CONFIG_PATH"] = f"{prefix}/lib/pkgconfig"
        here["PKG_CONFIG_ALLOW_SYSTEM_CFLAGS"] = here["PKG_CONFIG_ALLOW_SYSTEM_LIBS"] = "1"
        flags = run(["pkg-config", "--cflags", "--libs", "zenith"], env=here).split()
        run(["cc", "-std=c11", source + "/program.c", "-o", source + "/other", *flags])
        if run([source + "/other"], env=here) != expected:
            sys.exit("the program built by pkg-config prints something else")
    print(expected, end="")


def install_debs(build, scratch):
    """The packages below scratch/root; dependencies are those of this system."""
    out, root = os.path.join(scratch, "debs"), os.path.join(scratch, "root")
    run(["cpack", "-G", "DEB", "-B", out, "--config", os.path.join(build, "CPackConfig.cmake")], cwd=build)
    debs = [os.path.join(out, name) for name in sorted(os.listdir(out)) if name.endswith(".deb")]
    names = {os.path.basename(deb).split("_")[0] for deb in debs}
    if not names >= {"libzenith1", "libzenith-dev", "zenith-tools"}:
        sys.exit(f"packages: {sorted(names)}")
    if shutil.which("lintian"):
        # Of the machine's user and of source packages: neither is there.
        said = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *debs], stdout=subprocess.PIPE, text=True)
        errors = re.findall(r"^E: .*", said.stdout, re.M)
        if errors:
            sys.exit("lintian:\n" + "\n".join(errors))
    for folder in ("info", "updates", "triggers"):
        os.makedirs(f"{root}/var/lib/dpkg/{folder}")
    shutil.copy("/var/lib/dpkg/status", f"{root}/var/lib/dpkg/status")
    run(["dpkg", f"--root={root}", "--force-script-chrootless", "--no-triggers", "-i", *debs])
    return os.path.join(root, "usr")


def main():
    build, example = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        if "--debs" in sys.argv:
            prefix = install_debs(build, scratch)
        else:
            first, prefix = os.path.join(scratch, "first"), os.path.join(scratch, "moved")
            for component in ("runtime", "dev"):
                run(["cmake", "--install", build, "--prefix", first, "--component", component])
            shutil.move(first, prefix)
        check_text(prefix, scratch, build)
        check_build(prefix, example, scratch)


main()
