#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws schedules for fusions of all kinds, and compares what they compute with the interpreter.

usage: random_schedules.py ZENITH_COMPILE ZENITH_OPT ZENITH_RUN [--draws N] [--seed S] [--fusion NAME ...] [--jobs J]
                           [--target T] [--keep DIR] [--verbose]

For each fusion of schedule_programs.py, draws other schedules until N of them are valid: the schedule phase takes them.
Those that it refuses by the label of a constraint are not. All valid ones of a fusion are one program, whose results are
compared with the interpreter's. A valid one that gives other values, fails or crashes is a failure: its file is kept in DIR
(default: a new folder), and found by running each on its own. Exit 1 on failures.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import schedule_programs

LANES = [1, 2, 4, 8, 16, 32, 64]
SEPARATOR = "// -----\n"


def closing(text, start):
    """The index after the bracket that closes the one at `start`."""
    depth, in_string = 0, False
    for at in range(start, len(text)):
        in_string ^= text[at] == '"'
        depth += not in_string and text[at] in "<[("
        depth -= not in_string and text[at] in ">])"
        if depth == 0:
            return at + 1
    raise ValueError("no closing bracket: " + text[start:start + 60])


class Schedule:
    """The text of an attribute of dialect sched as an ordered list of keys."""

    def __init__(self, text):
        self.kind = re.match(r"#sched\.(\w+)", text)[1]
        inner, self.positional, self.keys = text[text.index("<") + 1:-1], [], {}
        while inner:
            end = 0
            while end < len(inner) and inner[end] != ",":
                end = closing(inner, end) if inner[end] in "<[(" else inner.index('"', end + 1) + 1 if inner[end] == '"' else end + 1
            key, found, value = inner[:end].strip().partition(" = ")
            if found and re.fullmatch(r"\w+", key):
                self.keys[key] = value
            else:
                self.positional.append(inner[:end].strip())
            inner = inner[end + 1:]

    def put(self, key, value=None):
        self.keys.pop(key, None)
        if value is not None:
            self.keys[key] = str(value)

    def __str__(self):
        return f"#sched.{self.kind}<" + ", ".join(self.positional + [f"{k} = {v}" for k, v in self.keys.items()]) + ">"


def variants_of(choice):
    """The schedules of a #sched.choice."""
    found, at = [], choice.index("<") + 1
    while (start := choice.find("#sched.", at)) >= 0:
        at = closing(choice, choice.index("<", start))
        found.append(choice[start:at])
    return found


def draw_window(keys, put, form, chance, r):
    """Other lanes, another form, or other tiles and tasks of a window."""
    lanes = r.choice(LANES[:6]) if chance(0.5) else int(keys["lanes"])
    if lanes != int(keys["lanes"]):
        put("tile"), put("item"), put("lanes", lanes)
        if form != "planes":
            put("block")
    if chance(0.2):
        form = r.choice(["channels", "rows", "planes", "interleaved", "dots"])
        put("tile"), put("block"), put("keep")
        put("form", keys["form"].replace(re.search(r"(\w+)>?$", keys["form"])[1], form))
        return
    if form != "planes" and chance():
        tile = [r.randint(1, 9), r.randint(1, 9)] if form == "dots" else [1, lanes * r.choice([1, 2, 4, 8])]
        put("tile", [r.randint(1, 24), tile[1]] if form in ("channels", "interleaved") else tile)
    if chance():
        count = {"rows": 1, "interleaved": 1, "planes": 3 if "," in keys.get("block", "") else 1}.get(form, 2)
        block = [r.choice([1, 3, 50, 1000, 100000]) for _ in range(count)]
        put("block", [block[0], r.randint(1, 20), lanes * r.randint(1, 8)] if count == 3 else block)
    if form == "planes" and chance():
        put("keep", r.randint(1, 40))


PREFETCHES = ["none", "lines<1>", "lines<3>", "lines<2, 640>", "lines<1, 65>", "panel", "rows<20>", "[none, lines<2, 4096>]"]


def draw_reduction(keys, put, chance, r):
    """Other rows and chunks, sums and rows side by side, and prefetches of a reduction."""
    passes = keys.get("sums", "").count(",") + 1
    if "sums" in keys:
        put("sums", [r.choice([1, 2, 4, 8]) for _ in range(passes)] if chance() else None)
    put("together", r.choice([None, 1, 2, 3, 5]) if chance(0.4) else keys.get("together"))
    put("prefetch", r.choice(["none", "rows<1>", "rows<7>"]) if chance(0.4) else keys.get("prefetch"))
    put("streams", "[0]" if chance(0.1) else keys.get("streams"))
    put("ahead", r.choice([1, 64, 1000, 1 << 20]) if "streams" in keys and chance(0.5) else None)
    if "rows" in keys and chance():
        put("rows", r.choice([1, 2, 3, 8, 50]))
    if "chunk" in keys and chance():
        put("scratch"), put("slots"), put("chunk", r.choice([32, 100, 256, 777, 5000]))


def draw(text, r):
    """Another schedule of the same kind: some keys set anew, some left out."""
    def chance(part=0.6):
        return r.random() < part

    if text.startswith("#sched.choice"):
        if chance(0.15):
            return text
        text = r.choice(variants_of(text))
    schedule = Schedule(text)
    kind, keys, put = schedule.kind, schedule.keys, schedule.put
    form = keys.get("form", "")
    window = form if kind == "window" else form[len("depthwise<"):-1] if form.startswith("depthwise<") else ""
    if window:
        draw_window(keys, put, window, chance, r)
        return str(schedule)
    if kind in ("elements", "reduce", "window", "scan", "scatter") and chance(0.85):
        put("item"), put("lanes", r.choice(LANES))
        if chance(0.4):
            put("item", r.choice([1, 2, 4, 8]))
    if kind == "elements":
        if chance():
            put("block", r.choice([1, 7, 64, 500, 4096, 100000]))
        if "tile" in keys:
            # A square is as wide as the vectors of the target, whatever the other keys are.
            side = int(keys["tile"].strip("[]").split(", ")[1])
            put("lanes", side), put("piece", r.choice([None, side, 2 * side, 1024]) if chance() else keys["piece"])
            if chance(0.4):
                put("tile"), put("piece")
    if kind == "scan" and chance():
        # Rows are finished one by one with a tile, which is as wide as the block.
        block = r.choice([1, 7, 64, 500, 1024, 100000])
        put("block", block), put("tile", [1, block] if chance(0.5) else None)
    if kind in ("elements", "scatter", "gemm") and chance(0.3):
        put("shares")
    if kind == "scatter" and chance():
        put("block"), put("parts"), put(*r.choice([("block", r.choice([1, 7, 64, 500])), ("parts", r.choice([1, 2, 5, 40]))]))
    if kind in ("elements", "reduce") and chance(0.3):
        put("store", r.choice(["plain", "streaming", "streaming<0>"]))
    if kind == "reduce":
        draw_reduction(keys, put, chance, r)
    if kind == "conv" and form.startswith("winograd") and chance(0.6):
        # Blocks of any size, by tasks that transform their input or after a launch that transforms all of it.
        put("block", [r.randint(1, 70), r.choice([1, 1, 1, 2, 5])]), put("scratch")
        come = r.choice(["rows", "copied"])
        put("operands", re.sub(r"\[\w+", f"[{come}", keys["operands"]))
        put("fewest_tasks", r.choice([1, 3, 40]) if come == "rows" and chance() else None)
        put("input_tiles", r.choice([1, 2, 9, 100]) if come == "rows" and chance() else None)
        put("prefetch", r.choice(["none", "panel"]) if chance(0.5) else None)
        return str(schedule)
    if kind == "conv" and form.startswith("winograd") and chance(0.5):
        for key in ("tile", "lanes", "scratch", "operands", "block", "heights", "fewest_tasks", "input_tiles", "prefetch"):
            put(key)
        put("form", "direct")
        form = "direct"
    if kind in ("gemm", "conv") and not form.startswith("winograd") and chance(0.95):
        lanes, given, along_k = r.choice(LANES[1:6]), keys.get("tile"), "dots" in keys.get("operands", "")
        stores, squares = "finish" in keys, "mirror" in keys
        heights = "heights" in keys
        for key in ("tile", "lanes", "scratch", "prefetch", "heights", "finish", "sums", "mirror"):
            put(key)
        if chance(0.3) and not along_k:
            put("sums", r.choice([1, 2, 4]))
        if chance(0.5):
            put("prefetch", r.choice(PREFETCHES))
        if along_k:
            # Columns are those of the product.
            put("tile", [r.randint(1, 20), int(given.strip("[]").split(", ")[1])])
            return str(schedule)
        if chance(0.8):
            of_a = r.choice(["rows", re.match(r"\[(\w+)", keys["operands"])[1]]) if "operands" in keys else "rows"
            put("operands", r.choice([None, None, f"[{of_a}, rows]", f"[{of_a}, copied]"])), put("joined")
            put("k_loop", f"packed<{r.randint(1, 50)}>" if "packed" in keys.get("k_loop", "") and chance(0.5) else None)
        if chance(0.7):
            put("block", f"[{r.randint(1, 12)}, {r.randint(1, 6)}]" if chance(0.4) else None)
        tile = [r.randint(1, 20), lanes * r.randint(1, 6)]
        if given and given.count(",") == 2 and chance(0.7):
            tile.append(r.choice([int(given.strip("[]").split(", ")[2]), 8 * r.randint(1, 60)]))
        put("tile", tile), put("lanes", lanes)
        if heights and chance():
            lower = range(1, tile[0])
            put("heights", [tile[0]] + sorted(r.sample(lower, r.randint(0, len(lower))), reverse=True))
        if stores and chance():
            put("finish", [r.randint(1, 9), lanes * r.randint(1, 4)])
        if squares and chance():
            put("mirror", lanes * r.randint(1, 6))
    if kind == "attention" and chance(0.95):
        lanes = r.choice(LANES[2:5])
        tile = [r.randint(1, 14), lanes * r.choice([1, 2, 4])]
        put("scratch"), put("tile", tile), put("lanes", lanes)
        put("rows", tile[0] * r.randint(1, 6)), put("keys", tile[1] * r.randint(1, 9))
        if chance(0.7):
            come = ["[copied, rows]", "[copied, copied]"] + ([] if "in_place" in keys else ["[rows, rows]"])
            put("operands", r.choice(come + [None]))
        else:
            put("operands")
        if "in_place" in keys and chance():
            put("in_place", r.choice([None, 1, 28, 29, 30, 1000]))
    if kind in ("sort", "top_k", "set", "routine") and chance(0.5):
        put("scratch")
    return str(schedule)


class Module:
    """The text of a module in phase schedule: what is around @main, its arguments, results and body."""

    def __init__(self, text):
        head = text.index("func.func @main(")
        arguments = head + len("func.func @main")
        end = closing(text, arguments)
        self.before, self.arguments = text[:head], text[arguments + 1:end - 1]
        body = text.index("{\n", text.index("->", end))
        while not text[:body].endswith(" ") or text[body:body + 2] != "{\n":
            body = text.index("{\n", body + 1)
        signature = text[text.index("->", end) + 2:body].strip()
        attributes = signature.find(" attributes ")
        self.results = (signature if attributes < 0 else signature[:attributes]).strip()
        if self.results.startswith("("):
            self.results = self.results[1:-1]
        indent = re.search(r"[ ]*$", self.before)[0]
        stop = text.index(f"\n{indent}}}\n", body)
        lines = text[body + 2:stop].rstrip().split("\n")
        returned = re.match(r"\s*return (.*) : (.*)$", lines[-1])
        self.names, self.types = returned[1], returned[2]
        self.body, self.after = "\n".join(lines[:-1]), text[stop + len(indent) + 3:]

    def places(self):
        """The parts of the body that are schedules."""
        at, found = 0, []
        while (start := self.body.find("schedule = #sched.", at)) >= 0:
            start += len("schedule = ")
            at = closing(self.body, self.body.index("<", start))
            found.append((start, at))
        return found

    def drawn(self, r):
        """The body with one schedule drawn anew, and that schedule."""
        start, end = r.choice(self.places())
        schedule = draw(self.body[start:end], r)
        return self.body[:start] + schedule + self.body[end:], schedule

    def text(self, bodies):
        """A module whose @main has all `bodies`, each with arguments and results of its own."""
        def renamed(text, number):
            text = re.sub(r"%([A-Za-z0-9_]+)", rf"%v{number}_\1", text)
            text = re.sub(r"\^bb", f"^v{number}_bb", text)
            return re.sub(r'graph\.name = "([^"]*)"', rf'graph.name = "v{number}_\1"', text)

        numbers = range(len(bodies))
        join = lambda parts: ", ".join(part for part in parts if part)
        return (f"{self.before}func.func @main({join(renamed(self.arguments, i) for i in numbers)}) -> "
                f"({join(renamed(self.results, i) for i in numbers)}) {{\n"
                + "\n".join(renamed(body, i) for i, body in enumerate(bodies)) +
                f"\n    return {join(renamed(self.names, i) for i in numbers)} : {join([self.types] * len(bodies))}\n  }}\n"
                + self.after)


def run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "no answer after 900 seconds")


class Trial:
    """Draws and runs schedules of one fusion."""

    def __init__(self, options, folder, build):
        self.options, self.build, self.target = options, build, f"--target={options.target}"
        self.random = random.Random(f"{options.seed} {build.__name__}")
        self.path = folder / build.__name__
        self.verdicts, self.failures = collections.Counter(), []

    def fail(self, path, done):
        self.failures.append(f"{path}: exit {done.returncode}: {done.stderr.strip()[-600:]}")

    def phase(self, bodies, drawn):
        """The bodies of those whose schedules the phase takes."""
        path = pathlib.Path(f"{self.path}-drawn.mlir")
        modules = [self.module.text([body]) for body in bodies]
        path.write_text(SEPARATOR.join(modules))
        done = run([self.options.opt, str(path), "--split-input-file", "--from=schedule", "--to=schedule", self.target,
                    "-o", os.devnull])
        if done.returncode not in (0, 1):
            self.fail(path, done)
            return []
        firsts, line = [], 1
        for module in modules:
            firsts.append(line)
            line += module.count("\n") + 1
        refused = {}
        for found in re.finditer(r"^within split at [^\n]*?:(\d+) offset :\d+:\d+: error: ([^\n]*)", done.stderr, re.M):
            # A part begins at the end of the line that separates it.
            number = max(i for i, first in enumerate(firsts) if first <= int(found[1]) + 1)
            refused.setdefault(number, found[2])
        if done.returncode and not refused:
            self.fail(path, done)
        for number, message in refused.items():
            label = re.search(r"\(sched_c\d+\)", message)
            if not label:
                self.failures.append(f"{path}: refused without a label: {drawn[number]}: {message}")
            elif self.options.verbose:
                print(f"  {drawn[number]}: {message}")
            self.verdicts["refused"] += 1
        return [i for i in range(len(bodies)) if i not in refused]

    def execute(self, path, bodies):
        path.write_text(self.module.text(bodies))
        dims = ["--dim", "n=29"] if "graph.dims" in self.module.arguments else []
        return run([self.options.run, str(path), "--from=schedule", f"--random-inputs={self.random.randint(1, 99)}", "--print=0",
                    "--compare=interp", "--rtol=3e-4", "--atol=3e-4", self.target, *dims])

    def start(self):
        program = pathlib.Path(f"{self.path}.mlir")
        program.write_text(self.build(self.random))
        made = run([self.options.compile, str(program), "--emit=graphir", "--to=schedule", "-o", "-", self.target])
        # A module that its own verifier refuses is printed in the generic form.
        if made.returncode or "func.func @main(" not in made.stdout:
            self.fail(program, made)
            return False
        self.module = Module(made.stdout)
        return True

    def __call__(self):
        if not self.start():
            return self
        valid, schedules = [], []
        for _ in range(12):
            bodies, drawn = zip(*(self.module.drawn(self.random) for _ in range(2 * self.options.draws)))
            for number in self.phase(bodies, drawn):
                if len(valid) < self.options.draws:
                    valid.append(bodies[number])
                    schedules.append(drawn[number])
            if len(valid) == self.options.draws or self.failures:
                break
        else:
            self.failures.append(f"{self.path}: too few drawn schedules are valid: {len(valid)}")
        self.verdicts["valid"] += len(valid)
        done = self.execute(pathlib.Path(f"{self.path}-valid.mlir"), valid) if valid else None
        if not done or done.returncode == 0:
            return self
        known = len(self.failures)
        for number, body in enumerate(valid):
            path = pathlib.Path(f"{self.path}-{number}.mlir")
            single = self.execute(path, [body])
            if single.returncode:
                self.fail(f"{path}: {schedules[number]}", single)
        if len(self.failures) == known:
            self.fail(f"{self.path}-valid.mlir, but none of its schedules alone", done)
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compile"), parser.add_argument("opt"), parser.add_argument("run")
    parser.add_argument("--draws", type=int, default=2), parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fusion", nargs="*"), parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--target", default="cpu"), parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    builders = [build for build in schedule_programs.ALL if not options.fusion or build.__name__ in options.fusion]
    verdicts, failures = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for trial in pool.map(lambda build: Trial(options, folder, build)(), builders):
            print(f"{trial.build.__name__}: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(trial.verdicts.items())),
                  flush=True)
            verdicts.update(trial.verdicts)
            failures += trial.failures
    print(f"{len(builders)} fusions: {verdicts['valid']} valid schedules, {verdicts['refused']} refused by label")
    for message in failures:
        print("FAILED " + message)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
