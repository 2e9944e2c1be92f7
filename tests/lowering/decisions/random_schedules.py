#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws schedules for fusions of all kinds, and compares what they compute with the interpreter.

usage: random_schedules.py ZENITH_COMPILE ZENITH_RUN [--count N] [--seed S] [--kind KIND ...] [--jobs J] [--target T] [--verbose]

A drawn schedule may be refused by the label of a constraint: it is then not valid, and another one is drawn. A valid one
that gives other values than the interpreter, fails otherwise or crashes is a failure; its file is kept. Exit 1 on failures.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def function(arguments, results, body, outer=""):
    """One function; `arguments` and `results` are pairs of name and type."""
    inputs = ", ".join(f"%{name}: {kind}" for name, kind in arguments)
    names, kinds = ", ".join("%" + n for n, _ in results), ", ".join(k for _, k in results)
    return f"{outer}func.func @main({inputs}) -> ({kinds}) {{\n{body}  return {names} : {kinds}\n}}\n"


def pointwise(r):
    t = tensor(r.choice([[r.randint(1, 9), r.randint(1, 700)], [r.randint(1, 5000)], [3, r.randint(1, 40), 5]]),
               r.choice(["f32", "f32", "f64", "f16"]))
    op = r.choice(["tanh", "exp", "neg", "abs"])
    return function([("a", t), ("b", t)], [("2", t)], f"  %1 = graph.{op} %a : {t}\n  %2 = graph.add %1, %b : {t}\n")


def transpose(r):
    n, m, element = r.randint(2, 90), r.randint(2, 90), r.choice(["f32", "i8", "f64"])
    t, u = tensor([n, m], element), tensor([m, n], element)
    return function([("a", t)], [("1", u)], f"  %1 = graph.transpose %a [1, 0] : {t} -> {u}\n")


def concatenation(r):
    rows, n, m = r.randint(1, 30), r.randint(1, 60), r.randint(1, 60)
    t, u, v = tensor([rows, n]), tensor([rows, m]), tensor([rows, n + m])
    return function([("a", t), ("b", u)], [("2", v)],
                    f"  %1 = graph.concat 1, %a, %b : ({t}, {u}) -> {v}\n  %2 = graph.neg %1 : {v}\n")


def row_sum(r):
    shape = [r.randint(1, 60), r.randint(1, 900)]
    t, u = tensor(shape), tensor(shape[:1])
    return function([("a", t)], [("2", u)],
                    f"  %1 = graph.mul %a, %a : {t}\n  %2 = graph.reduce {r.choice(['sum', 'max', 'min'])}, %1 [1] : {t} -> {u}\n")


def column_sum(r):
    shape = [r.randint(1, 2500), r.randint(1, 90)]
    t, u = tensor(shape), tensor(shape[1:])
    return function([("a", t)], [("1", u)], f"  %1 = graph.reduce sum, %a [0] : {t} -> {u}\n")


def total(r):
    t, u = tensor([r.randint(1, 200000)]), tensor([])
    return function([("a", t)], [("1", u)], f"  %1 = graph.reduce sum, %a [0] : {t} -> {u}\n")


def softmax(r):
    t = tensor([r.randint(1, 40), r.randint(1, 600)])
    return function([("a", t)], [("1", t)], f"  %1 = graph.softmax %a [1] : {t}\n")


def arg_max(r):
    shape = [r.randint(1, 40), r.randint(1, 300)]
    t, u = tensor(shape), tensor(shape[:1], "i64")
    return function([("a", t)], [("1", u)], f"  %1 = graph.arg_reduce max, %a 1 : {t} -> {u}\n")


def product(r):
    element = r.choice(["f32", "f32", "f32", "f64"])
    batch = [r.randint(2, 4)] if r.random() < 0.3 else []
    m, k, n = r.randint(1, 90), r.randint(1, 200), r.randint(1, 120)
    a, b, c = tensor(batch + [m, k], element), tensor(batch + [k, n], element), tensor(batch + [m, n], element)
    lead, at = ("[0] x [0]", 1) if batch else ("[] x []", 0)
    body = f"  %1 = graph.dot_general %a, %b <batching = {lead}, contracting = [{at + 1}] x [{at}]> : ({a}, {b}) -> {c}\n"
    last = "1"
    if r.random() < 0.5:
        body, last = body + f"  %2 = graph.tanh %1 : {c}\n", "2"
    return function([("a", a), ("b", b)], [(last, c)], body)


def packed_product(r):
    m, k, n = r.randint(1, 90), r.randint(1, 200), r.randint(1, 120)
    a, b, c = tensor([m, k]), tensor([k, n]), tensor([m, n])
    values = "dense<" + repr(r.choice([0.5, -0.25])) + ">"
    return function([("a", a)], [("2", c)],
                    f"  %w = graph.get_param @w : {b}\n"
                    f"  %1 = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : ({a}, {b}) -> {c}\n"
                    f"  %2 = graph.tanh %1 : {c}\n", outer=f"graph.param @w : {b} = {values} : {b}\n")


def integer_product(r):
    m, k, n = r.randint(1, 60), r.randint(1, 120), r.randint(1, 80)
    a, b, c = tensor([m, k], "i32"), tensor([k, n], "i32"), tensor([m, n], "i32")
    return function([("a", a), ("b", b)], [("1", c)],
                    f"  %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : ({a}, {b}) -> {c}\n")


def convolution(r):
    n, size, c, f, k = r.randint(1, 2), r.randint(4, 20), r.choice([1, 3, 8, 16]), r.choice([4, 8, 16, 40]), r.choice([1, 3, 5])
    stride, low = r.choice([1, 2]), k // 2
    out = (size + 2 * low - k) // stride + 1
    x, w, y = tensor([n, size, size, c]), tensor([k, k, c, f]), tensor([n, out, out, f])
    return function([("a", x), ("b", w)], [("1", y)],
                    f"  %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> "
                    f"strides [{stride}, {stride}] low [{low}, {low}] high [{low}, {low}] input_dilation [1, 1] "
                    f"kernel_dilation [1, 1] groups 1 : ({x}, {w}) -> {y}\n")


def depthwise(r):
    n, size, c = 1, r.randint(4, 24), r.choice([4, 8, 24, 33])
    x, w = tensor([n, size, size, c]), tensor([3, 3, 1, c])
    return function([("a", x), ("b", w)], [("1", x)],
                    f"  %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> "
                    f"strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups {c} : ({x}, {w}) -> {x}\n")


def window(r):
    size, c = r.randint(4, 30), r.choice([1, 5, 16])
    out = (size - 2) // 2 + 1
    x, y = tensor([1, size, size, c]), tensor([1, out, out, c])
    return function([("a", x)], [("1", y)],
                    f"  %1 = graph.reduce_window {r.choice(['max', 'sum'])}, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] "
                    f"low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : {x} -> {y}\n")


def scan(r):
    t = tensor([r.randint(1, 40), r.randint(1, 200)])
    return function([("a", t)], [("1", t)], f"  %1 = graph.cumulative sum, %a {r.randint(0, 1)} : {t}\n")


def scatter(r):
    rows, n, count = r.randint(2, 30), r.randint(1, 600), r.randint(1, 40)
    t, i, u = tensor([rows, n]), tensor([count, 1], "i64"), tensor([count, n])
    return function([("a", t), ("i", i), ("u", u)], [("1", t)],
                    f"  %1 = graph.scatter {r.choice(['sum', 'max'])}, %a, %i, %u <window = [1], inserted = [0], batching = [] x [], "
                    f"index_map = [0], index_vector_dim = 1> : ({t}, {i}, {u}) -> {t}\n")


def attention(r):
    heads, s, t, d = r.randint(1, 3), r.choice([1, 3, 7, 33, 70]), r.randint(1, 200), r.choice([8, 16, 32, 64])
    q, k = tensor([heads, s, d]), tensor([heads, t, d])
    return function([("q", q), ("k", k), ("v", k)], [("1", q)],
                    f"  %1 = graph.attention %q, %k, %v {{scale = 0.125 : f64}} : ({q}, {k}, {k}) -> {q}\n")


def sort(r):
    t = tensor([r.randint(1, 500)])
    return function([("a", t)], [("1", t)], f"  %1 = graph.sort %a 0 keys 1 : ({t}) -> ({t})\n")


PROGRAMS = [pointwise, transpose, concatenation, row_sum, column_sum, total, softmax, arg_max, product, product, packed_product,
            integer_product, convolution, depthwise, window, scan, scatter, attention, sort]
LANES = [1, 2, 4, 8, 16, 32, 64]


def drawn(kind, text, r):
    """Another schedule of the same kind: some keys set anew, some left out."""
    def put(key, value):
        nonlocal text
        text = re.sub(rf", {key} = (\[\[.*?\]\]|\[[^\]]*\]|[\w-]+)", "", text)
        if value is not None:
            text = re.sub(r"(on = \w+)", rf"\1, {key} = {value}", text, count=1)

    chance = lambda part=0.6: r.random() < part
    lanes = r.choice(LANES)
    if kind in ("elements", "reduce", "window", "scan", "scatter") and chance(0.8):
        put("item", None), put("lanes", lanes)
        if chance(0.3):
            put("item", r.choice([2, 3, 4]))
    if kind == "elements":
        if chance():
            put("block", r.choice([1, 7, 64, 512, 4096, 100000]))
        if chance(0.3):
            put("tile", None)
        if chance(0.3):
            put("shares", None)
    if kind == "reduce":
        if chance() and "rows" in text:
            put("rows", r.choice([1, 2, 3, 8, 50]))
        if chance() and "chunk" in text:
            put("scratch", None), put("slots", None), put("chunk", r.choice([32, 100, 777, 5000]))
    if kind in ("gemm", "conv") and "depthwise" not in text and "winograd" not in text and chance(0.9):
        lanes = r.choice(LANES[2:5])
        put("operands", None), put("block", None), put("scratch", None), put("tile", None), put("lanes", None)
        put("tile", f"[{r.randint(1, 16)}, {lanes * r.randint(1, 4)}]"), put("lanes", lanes)
        if chance(0.3):
            put("block", f"[{r.randint(1, 9)}, {r.randint(1, 4)}]")
    if kind == "conv" and "depthwise" in text:
        put("lanes", r.choice(LANES[:5]))
    if kind == "attention" and chance(0.9):
        lanes = r.choice(LANES[2:5])
        tile = [r.randint(1, 14), lanes * r.randint(1, 4)]
        put("scratch", None), put("tile", None), put("lanes", None), put("rows", None), put("keys", None)
        put("tile", str(tile)), put("lanes", lanes)
        put("rows", tile[0] * r.randint(1, 6)), put("keys", tile[1] * r.randint(1, 9))
    return text


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def trial(options, seed, folder):
    """Kind, verdict and message of one drawn schedule: valid, refused or failed."""
    r = random.Random(seed)
    program = r.choice(PROGRAMS)(r)
    path = folder / f"{seed}.mlir"
    path.write_text(program)
    target = [f"--target={options.target}"]
    made = run([options.compile, str(path), "--emit=graphir", "--to=schedule", *target])
    if made.returncode:
        return "any", "failed", f"{path}: {made.stderr.strip()}"
    found = re.findall(r"schedule = (#sched\.(\w+)<(?:[^<>]|<[^<>]*>)*>)", made.stdout)
    known = [(text, kind) for text, kind in found if kind != "choice"]
    if not known:
        return "choice", "refused", ""
    text, kind = r.choice(known)
    if options.kind and kind not in options.kind:
        return kind, "refused", ""
    edited = folder / f"{seed}-edited.mlir"
    edited.write_text(made.stdout.replace(text, drawn(kind, text, r), 1))
    done = run([options.run, str(edited), "--from=schedule", f"--random-inputs={seed}", "--compare=interp", "--rtol=2e-4",
                "--atol=2e-4", *target])
    if done.returncode == 0:
        return kind, "valid", ""
    label = re.search(r"sched_c\d+", done.stderr)
    if label and done.returncode in (2, 3):
        return kind, "refused", label[0]
    return kind, "failed", f"{edited}: exit {done.returncode}: {done.stderr.strip()[:400]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compile"), parser.add_argument("run")
    parser.add_argument("--count", type=int, default=40), parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", nargs="*"), parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--target", default="cpu"), parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    verdicts, failures, next_seed = collections.Counter(), [], options.seed * 1000003
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while sum(n for (_, v), n in verdicts.items() if v == "valid") < options.count and len(failures) < 5:
            if next_seed > options.seed * 1000003 + 20 * options.count:
                failures.append("too few drawn schedules are valid")
                break
            seeds = range(next_seed, next_seed + 4 * options.jobs)
            next_seed = seeds.stop
            for kind, verdict, message in pool.map(lambda seed: trial(options, seed, folder), seeds):
                verdicts[kind, verdict] += 1
                if verdict == "failed":
                    failures.append(message)
                elif options.verbose and message:
                    verdicts[kind, message] += 1
    for (kind, verdict), number in sorted(verdicts.items()):
        print(f"{kind}: {number} {verdict}")
    for message in failures:
        print("FAILED " + message)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
