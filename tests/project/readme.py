#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks README.md: links lead somewhere, tools and targets are there, commands run and print what the page shows.

usage: readme.py --bin=DIR

A block of code belongs to the last `zenith-...` command that begins the text behind a bold title. Each line of it must be
a part of a line that the command prints or writes, in the same order; `...` in a line stands for anything. Names of values,
registers, addresses and labels are not compared: only what is done.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "tests/models/digits/digits.onnx"
TOOLS = ("run", "translate", "search", "compile", "cache", "opt")
# Examples of each form in the table of targets.
COMPILED = ("cpu:x86-64-v3", "cpu:znver4", "cpu:x86-64-v3:128", "cpu:x86-64-v3:512")


def normal(line):
    line = re.sub(r"%\w+", "%", line)
    line = re.sub(r"-?\d*\(%[^)]*\)", "(%)", line)
    line = re.sub(r"\.LBB\d+_\d+", ".LBB", line)
    return " ".join(line.split())


def matches(expected, line):
    """Whether the pieces between the dots of `expected` stand in `line`, in order."""
    at = 0
    for piece in normal(expected).split("..."):
        at = line.find(piece.strip(), at)
        if at < 0:
            return False
    return True


def whole_lines(block):
    """The lines of a block, without those that are left out, and with those that go on below in one."""
    lines = []
    for line in block.splitlines():
        if line.strip() in ("", "..."):
            continue
        if lines and line.startswith(" ") and lines[-1].endswith(("...", ",")):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.rstrip())
    return lines


def run(command, folder, binaries):
    path = os.pathsep.join([binaries, os.environ["PATH"]])
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
    return done.returncode, done.stdout, done.stderr


class Page:
    def __init__(self, binaries):
        self.binaries = binaries
        self.findings = []

    def command(self, command, folder, codes=(0,)):
        code, output, errors = run(command, folder, self.binaries)
        if code not in codes:
            self.findings.append("%s: exit %d: %s" % (command, code, errors.strip()[:200]))
        return output

    def links(self, text):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if "://" not in target and not (ROOT / target).exists():
                self.findings.append("link to %s, which does not exist" % target)

    def excerpts(self, text, folder):
        output, at = [], 0
        for match in re.finditer(r"^\*\*[^*\n]+\*\* `(zenith-[^`]+)`|^```(?:mlir|asm)\n(.*?)^```", text, re.M | re.S):
            if match.group(1):
                output = self.written(match.group(1), folder)
                at = 0
                continue
            for line in whole_lines(match.group(2)):
                found = next((i for i in range(at, len(output)) if matches(line, output[i])), None)
                if found is None:
                    self.findings.append("no tool prints, in this place: " + line.strip())
                else:
                    at = found + 1

    def written(self, command, folder):
        """The lines that the command prints, or writes to the file of its -o."""
        printed = self.command(command, folder)
        file = re.search(r" -o (\S+)", command)
        if file:
            printed = (pathlib.Path(folder) / file.group(1)).read_text()
        return [normal(line) for line in printed.splitlines()]

    def tools(self, folder):
        for tool in TOOLS:
            self.command("zenith-%s --help" % tool, folder)
        listed = self.command("zenith-run --list-targets", folder)
        targets = ["cpu", "interp"] + (["opencl"] if "opencl:0" in listed else [])
        for target in targets:
            self.command("zenith-run digits.onnx --random-inputs --dim batch=2 --target=" + target, folder)
        for target in COMPILED:
            self.command("zenith-compile digits.onnx --emit=obj -o objects --target=" + target, folder)
        self.command("zenith-translate digits.mlir -o back.onnx --check", folder)
        self.command("zenith-compile digits.onnx --emit=opencl", folder)
        self.command("zenith-opt missing.mlir", folder, (1,))


def main(binaries):
    text = (ROOT / "README.md").read_text()
    page = Page(binaries)
    page.links(text)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(MODEL, folder)
        page.excerpts(text, folder)
        page.tools(folder)
    for finding in page.findings:
        print("README.md: " + finding)
    print("readme: %d findings" % len(page.findings))
    return 1 if page.findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].startswith("--bin="):
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1][len("--bin="):])))
