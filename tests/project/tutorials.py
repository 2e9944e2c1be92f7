#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what docs/tutorials, docs/guides and docs/where-is.md say.

usage: tutorials.py [--bin=DIR] [--build=DIR]; prints one line per finding, exits 1 where there is one.
- A fenced block ```sh runs in a scratch directory that holds the page's fenced blocks named by `file=NAME`; lines of
  the block ```expect after it must appear in the output, in order.
- All blocks ```diff of a page are one patch: it must apply to this tree, and touch at most as many files as the page
  promises (`<!-- files: N -->`), with at most as many hunks (`<!-- hunks: N -->`) outside of tests and docs.
- --build applies each patch to a copy of the tree and builds and tests it there (minutes; by hand): the page's line
  `<!-- test: COMMAND -->` runs in the copy's build directory.
- where-is.md: each row's command must print the file that the row names.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\S+)(?: file=(\S+))?\n(.*?)^```$", re.M | re.S)


def promise(text, name):
    found = re.search(rf"<!-- {name}: (.+?) -->", text)
    return found and found[1]


def run_commands(text, binaries):
    """Runs the page's commands; yields what they should have printed and did not."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, PATH=f"{binaries}{os.pathsep}{os.environ['PATH']}")
        output = None
        for kind, name, body in BLOCK.findall(text):
            if name:
                (pathlib.Path(scratch) / name).write_text(body)
            elif kind == "sh":
                done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", body], cwd=scratch, env=environment,
                                      capture_output=True, text=True)
                output = done.stdout + done.stderr
                if done.returncode:
                    yield f"`{body.strip()}` ended with {done.returncode}: {output.strip()[-300:]}"
            elif kind == "expect":
                rest = output or ""
                for line in filter(None, map(str.strip, body.splitlines())):
                    if line not in rest:
                        yield f"not in the output: {line}"
                        break
                    rest = rest[rest.index(line) + len(line):]


def patch_of(text):
    return "".join(body for kind, name, body in BLOCK.findall(text) if kind == "diff" and not name)


def check_patch(text, patch):
    done = subprocess.run(["git", "apply", "--check", "-"], input=patch, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        yield f"the diff does not apply: {done.stderr.strip()}"
    files = re.findall(r"^\+\+\+ b/(\S+)", patch, re.M)
    most = promise(text, "files")
    if most and len(set(files)) > int(most):
        yield f"the diff touches {len(set(files))} files, more than {most}"
    edits, counted = 0, False
    for line in patch.splitlines():
        if line.startswith("+++ b/"):
            counted = not line.startswith(("+++ b/tests/", "+++ b/docs/"))
        edits += counted and line.startswith("@@")
    most = promise(text, "hunks")
    if most and edits > int(most):
        yield f"the diff has {edits} edits outside of tests and docs, more than {most}"


def build_copy(text, patch, directory):
    copy = pathlib.Path(directory)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build*"))
    subprocess.run(["git", "apply", "-"], input=patch, cwd=copy, text=True, check=True)
    subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=copy, check=True)
    done = subprocess.run(promise(text, "test"), shell=True, cwd=copy / "build")
    if done.returncode:
        yield "the copy with the diff does not pass"


def where_is(text):
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \| (.+?) \|$", text, re.M)
    for question, command, files in rows:
        command = command.replace("\\|", "|")
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
        for file in re.findall(r"`(.+?)`", files):
            if file not in done.stdout:
                yield f"`{command}` does not print {file} ({question})"
            elif not (ROOT / file).exists():
                yield f"{file} does not exist ({question})"
    if len(rows) < 40:
        yield f"{len(rows)} questions, fewer than 40"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    parser.add_argument("--build")
    options = parser.parse_args()
    findings = []
    pages = sorted(page for folder in ("tutorials", "guides") for page in (ROOT / "docs" / folder).glob("*.md"))
    for page in pages:
        text = page.read_text()
        patch = patch_of(text)
        if options.build:
            findings += [(page, what) for what in (build_copy(text, patch, options.build) if patch else [])]
            continue
        findings += [(page, what) for what in run_commands(text, options.bin)]
        if patch:
            findings += [(page, what) for what in check_patch(text, patch)]
    page = ROOT / "docs/where-is.md"
    if not options.build:
        findings += [(page, what) for what in where_is(page.read_text())]
    for page, what in findings:
        print(f"{page.relative_to(ROOT)}: {what}")
    print(f"tutorials: {len(pages)} pages, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
