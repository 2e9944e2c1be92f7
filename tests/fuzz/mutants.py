#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs seeded mutants of programs on the interpreter and on a target.

usage: mutants.py ZENITH_RUN SEED COUNT PROGRAMS... [--keep=DIR] [--format=graphir|stablehlo|onnx] [--target=cpu]

PROGRAMS are files of GraphIR or StableHLO modules with // ----- between them (text_mutants.py), and .onnx files
(onnx_mutants.py); with a --format other than graphir, those of GraphIR that can be said in the format are exported first.
A finding is a crash, a hang, an internal error (exit 4), results that differ, or a program that the interpreter or the
target accepts and the other one calls invalid. Exits 1 where there are findings; --keep writes them to DIR. A run that is
interrupted says what it has found so far.
"""
import collections
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

import onnx_mutants
import text_mutants

GOOD = {0, 1, 2, 3, 5, 6}
REFUSED = {2, 3, 6}


def mutant(rng, text):
    return (onnx_mutants if isinstance(text, bytes) else text_mutants).mutant(rng, text)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 25))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tool, path, target, extra):
    command = [tool, path, "--random-inputs=1", "--target=" + target, "--threads=1"] + extra
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    return done.returncode, done.stderr.decode(errors="replace")


def run_with_sizes(tool, path, target):
    """Gives each dimension that the tool asks for a size."""
    sizes = []
    while True:
        code, errors = run(tool, path, target, sizes)
        missing = re.search(r"the size of dimension '(\w+)", errors)
        if code != 1 or not missing or len(sizes) == 6:
            return code, errors, sizes
        sizes.append("--dim=%s=%d" % (missing.group(1), 2 + len(sizes)))


def may_not_end(text, code):
    """Whether a program that ran out of processor time has a loop, which may have lost what ends it."""
    loops = (b"Loop", b"Scan") if isinstance(text, bytes) else ("graph.while", "stablehlo.while")
    return code in ("timeout", -signal.SIGXCPU) and any(loop in text for loop in loops)


def finding(meaning, compiled):
    """What is wrong with two exit codes; None where nothing is."""
    for code in (meaning, compiled):
        if code == "timeout" or (code is not None and code not in GOOD and code != 7):
            return "exit %s" % code
    if compiled == 7 and meaning == 0:
        return "results differ"
    if meaning in REFUSED and compiled == 0:
        return "only the interpreter refuses"
    if meaning == 0 and compiled in (2, 6):
        return "only the target refuses"
    return None


def modules(paths):
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if path.endswith(".onnx"):
            yield data
            continue
        for part in data.decode().split("// -----\n"):
            part = re.sub(r"(?m)^\s*//.*\n", "", part)
            if "func.func" in part:
                yield text_mutants.returning(part)


def exported(tool, programs, form, folder):
    """The programs that the format can say, as text or bytes."""
    translate = os.path.join(os.path.dirname(tool), "zenith-translate")
    source = os.path.join(folder, "source.mlir")
    target = os.path.join(folder, "target.onnx" if form == "onnx" else "target.mlir")
    for program in programs:
        if isinstance(program, bytes) or "stablehlo." in program:
            yield program
            continue
        with open(source, "w") as file:
            file.write(program)
        command = [translate, source, "-o", target, "--to-format=" + form]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            yield from modules([target])


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


class Mutants:
    """Runs mutants, one after the other, and keeps the sum of what has been found."""

    def __init__(self, tool, target, folder, keep):
        self.tool, self.target, self.folder, self.keep = tool, target, folder, keep
        self.codes, self.count, self.findings = collections.Counter(), 0, 0

    def check(self, text, name):
        suffix = ".onnx" if isinstance(text, bytes) else ".mlir"
        path = os.path.join(self.folder, "mutant" + suffix)
        write(path, text)
        meaning, errors, sizes = run_with_sizes(self.tool, path, "interp")
        compiled = None
        if may_not_end(text, meaning):
            self.codes["endless"] += 1
            return
        if meaning not in (1, 2) or self.count % 8 == 0:
            compare = ["--compare=interp"] if meaning == 0 else []
            compiled, more = run(self.tool, path, self.target, sizes + compare)
            errors += more
            self.codes["%s %s" % (self.target, compiled)] += 1
        self.codes["interp %s" % meaning] += 1
        wrong = finding(meaning, compiled)
        if not wrong:
            return
        self.findings += 1
        print("mutant %d: %s: %s" % (self.count, wrong, errors.strip().split("\n")[0][:200]), flush=True)
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            if isinstance(text, str):
                text = "// %s %s\n%s" % (wrong, " ".join(sizes), text)
            write(os.path.join(self.keep, name + suffix), text)

    def run(self, seed, count, programs):
        rng = random.Random(seed)
        for number in range(count):
            self.check(mutant(rng, rng.choice(programs)), "%s-%d" % (seed, number))
            self.count += 1
            if sys.stderr.isatty():
                print("\r%d of %d, %d findings" % (self.count, count, self.findings), end="", file=sys.stderr, flush=True)

    def sum(self):
        return "%d mutants, %d findings: %s" % (self.count, self.findings, dict(sorted(self.codes.items())))


def main(tool, seed, count, paths, options):
    form = options.get("format", "graphir")
    programs = list(modules(paths))
    # So that what has been found is said, and the folder goes, where the run is ended early.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        mutants = Mutants(tool, options.get("target", "cpu"), folder, options.get("keep"))
        ended = False
        try:
            if form != "graphir":
                programs = list(exported(tool, programs, form, folder))
            mutants.run(seed, count, programs)
        except KeyboardInterrupt:
            ended = True
        print(mutants.sum() + (", interrupted" if ended else ""))
    return 1 if mutants.findings or ended else 0


if __name__ == "__main__":
    files = [argument for argument in sys.argv[4:] if not argument.startswith("--")]
    given = dict(argument[2:].split("=", 1) for argument in sys.argv[4:] if argument.startswith("--"))
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), files, given))
