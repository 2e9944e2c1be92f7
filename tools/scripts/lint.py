#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks facts about the tree that a compiler does not: headers, names, include directions, check lines that never run.

usage: lint.py [--format] [--fix] [ROOT]; prints one line per finding, exits 1 where there is one.
--format checks that clang-format-19 would change nothing, instead; with --fix it changes it.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = {".cpp", ".h", ".td", ".def"}
# What a room may include, beside itself; a longer prefix wins. Tests and bench see all.
MAY_INCLUDE = {
    "ir": ["ir"],
    "passes": ["ir", "passes/cost", "passes/GraphPasses"],
    "lowering": ["ir", "lowering", "runtime/ABI.h"],
    "lowering/schedule": ["ir", "lowering", "passes/cost"],
    "lowering/pipeline": ["ir", "lowering", "passes", "runtime"],
    "lowering/program": ["ir", "lowering", "passes/cost", "passes/parameters", "runtime/ABI.h"],
    "frontends": ["ir", "frontends"],
    "runtime": ["runtime"],
    "tools": ["ir", "passes", "lowering", "frontends", "runtime", "tools"],
}
BANNED_WORDS = re.compile(r"(Utils|Common|Helper|Misc)")
TOP_LEVEL = {"ir", "passes", "lowering", "frontends", "runtime", "tools", "tests", "bench", "docs", "CMakeLists.txt",
             "CMakePresets.json", "README.md", "LICENSE"}


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                         check=True).stdout
    return [pathlib.PurePosixPath(line) for line in out.splitlines() if (root / line).exists()]


def header(path, text):
    if LICENSE not in "\n".join(text.splitlines()[:3]):
        yield "no licence line at the top"
        return
    for line in text.splitlines():
        if line.startswith(("//", "#")) and len(line.strip("/# ")) > 3 and "SPDX" not in line and "-*-" not in line:
            return
        if line and not line.startswith(("//", "#")):
            break
    yield "no sentence on its purpose under the licence line"


def includes(path, text):
    room = next((room for room in sorted(MAY_INCLUDE, key=len, reverse=True) if str(path).startswith(room + "/")), None)
    if room is None:
        return
    top = str(path).split("/")[0]
    own = "/".join(str(path).split("/")[:2]) if top in ("passes", "frontends") else str(path).split("/")[0]
    allowed = MAY_INCLUDE[room] + ([own] if top != "lowering" else [])
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#?include "((?:ir|passes|lowering|frontends|runtime|tools|tests|bench)/[^"]+)"', line)
        if found and not any(found[1] == a or found[1].startswith(a + "/") or found[1].startswith(a + ".") for a in allowed):
            yield f"line {number}: {room} must not include {found[1]}"


def dead_checks(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*//\s*(CHECK|RUN)(-[A-Z]+)*(\s+[^:A-Z-]|$)", line):
            yield f"line {number}: a check line without its colon never runs"
    if path.parts[0] == "tests" and "RUN:" not in text:
        yield "a lit test without a RUN line"


def pass_tests(root, files):
    """Every registered pass has a source and a test of its name."""
    names = {str(f) for f in files}
    for td in files:
        if td.name not in ("GraphPasses.td", "LoweringPasses.td"):
            continue
        for argument in re.findall(r'Pass<"zenith-([a-z0-9-]+)"', (root / td).read_text()):
            if not any(n.startswith("tests/") and n.endswith(f"/{argument}.mlir") for n in names):
                yield td, f"pass zenith-{argument} has no test {argument}.mlir"


def formatting(root, files, fix):
    """Runs clang-format in a few processes; its complaints name file and line."""
    sources = [str(root / path) for path in files if path.suffix in (".cpp", ".h")]
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = subprocess.run(["xargs", "-P2", "-n100", "clang-format-19", *mode], input="\n".join(sources), text=True,
                          capture_output=True)
    found = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", done.stderr, re.M)))
    if done.returncode and not found:
        raise SystemExit(done.stderr)
    return [(pathlib.PurePosixPath(path).relative_to(root), "clang-format-19 would change it: lint.py --format --fix")
            for path in found]


def facts(root, files):
    findings, basenames = [], {}
    for path in files:
        if path.parts[0] not in TOP_LEVEL and not path.parts[0].startswith("."):
            findings.append((path, "the top level holds only the floors of the house and dotfiles"))
        if path.suffix in CODE:
            text = (root / path).read_text()
            checks = [header, includes] if path.suffix in (".cpp", ".h", ".td") else [header]
            findings += [(path, what) for check in checks for what in check(path, text)]
            if path.suffix == ".cpp":
                if path.name in basenames:
                    findings.append((path, f"same basename as {basenames[path.name]}"))
                basenames[path.name] = path
            if BANNED_WORDS.search(path.stem):
                findings.append((path, "a name that says nothing (Utils, Common, Helper, Misc)"))
        elif path.suffix == ".mlir":
            findings += [(path, what) for what in dead_checks(path, (root / path).read_text())]
    return findings + list(pass_tests(root, files))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--format", action="store_true")
    parser.add_argument("--fix", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    files = tracked(root)
    findings = formatting(root, files, options.fix) if options.format else facts(root, files)
    for path, what in findings:
        print(f"{path}: {what}")
    print(f"lint: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
