#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the time of compilation grows about linearly with the length of programs.

usage: compile_growth.py ZENITH_COMPILE [KIND...]

Compiles a chain of each kind in two lengths, one four times the other: such that the short one takes a time that can be
told from an empty program's. The processor time that both take beyond that may grow eightfold: quadratic growth is
sixteenfold, linear growth fourfold, and the rest is room for a busy machine. Exits 1 where a chain takes longer or does
not compile.
"""
import os
import subprocess
import sys
import tempfile

VECTOR = "tensor<64xf32>"
MATRIX = "tensor<8x8xf32>"
OPS = ("add", "mul", "sub")


def function(arguments, body, results, types, before=""):
    return "%sfunc.func @main(%s) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
        before, ", ".join("%" + name + ": " + kind for name, kind in arguments), ", ".join(types), "\n".join(body),
        ", ".join("%" + result for result in results), ", ".join(types))


def binary(body, name, op, left, right, kind):
    body.append("  %%%s = graph.%s %%%s, %%%s : %s" % (name, op, left, right, kind))
    return name


def matmul(body, name, left, right):
    body.append("  %%%s = graph.dot_general %%%s, %%%s <batching = [] x [], contracting = [1] x [0]> : (%s, %s) -> %s" %
                (name, left, right, MATRIX, MATRIX, MATRIX))
    return name


def elementwise(count):
    body, last = [], "x"
    for i in range(count):
        last = binary(body, "a%d" % i, OPS[i % 3], last, "x", VECTOR)
    return function([("x", VECTOR)], body, [last], [VECTOR])


def recurrence(count):
    """Each value is read by the next two: the paths to the last one double with each step."""
    body, last, before = [], "x", "x"
    for i in range(count):
        before, last = last, binary(body, "a%d" % i, OPS[i % 3], last, before, VECTOR)
    return function([("x", VECTOR)], body, [last], [VECTOR])


def scalars(count):
    body, last, before = [], "x", "x"
    for i in range(count):
        before, last = last, binary(body, "a%d" % i, OPS[i % 3], last, before, "tensor<f32>")
    return function([("x", "tensor<f32>")], body, [last], ["tensor<f32>"])


def functions(count):
    body, last = [], "x"
    for i in range(count):
        body.append("  %%a%d = graph.%s %%%s : %s" % (i, ("tanh", "neg", "sin", "logistic")[i % 4], last, VECTOR))
        last = "a%d" % i
    return function([("x", VECTOR)], body, [last], [VECTOR])


def hub(count):
    """One computed value has as many readers as there are ops."""
    body, last = ["  %h = graph.tanh %x : " + VECTOR], "h"
    for i in range(count):
        last = binary(body, "a%d" % i, OPS[i % 3], last, "h", VECTOR)
    return function([("x", VECTOR)], body, [last], [VECTOR])


def results(count):
    body, names, last = [], [], "x"
    for i in range(count):
        last = binary(body, "a%d" % i, OPS[i % 3], last, "x", VECTOR)
        names += [last] if i % 4 == 0 else []
    return function([("x", VECTOR)], body, names, [VECTOR] * len(names))


def moves(count):
    """Indices of each op are divisions of those of the next one."""
    wide, tall, body, last = "tensor<4x16xf32>", "tensor<16x4xf32>", [], "x"
    for i in range(count // 2):
        body.append("  %%r%d = graph.reshape %%%s : %s -> %s" % (i, last, wide, tall))
        body.append("  %%t%d = graph.transpose %%r%d [1, 0] : %s -> %s" % (i, i, tall, wide))
        last = "t%d" % i
    return function([("x", wide)], body, [last], [wide])


def reductions(count):
    kind, body, last = "tensor<16x64xf32>", [], "x"
    for i in range(count // 4):
        body.append("  %%r%d = graph.reduce sum, %%%s [1] : %s -> tensor<16xf32>" % (i, last, kind))
        body.append("  %%b%d = graph.broadcast %%r%d [0] : tensor<16xf32> -> %s" % (i, i, kind))
        binary(body, "c%d" % i, "mul", last, "b%d" % i, kind)
        last = binary(body, "a%d" % i, "add", "c%d" % i, "x", kind)
    return function([("x", kind)], body, [last], [kind])


def matmuls(count):
    body, last = [], "x"
    for i in range(count):
        last = matmul(body, "m%d" % i, last, "w")
    return function([("x", MATRIX), ("w", MATRIX)], body, [last], [MATRIX])


def training(count):
    """A chain of layers, and another one back, which reads what the first one keeps."""
    body, last, layers = [], "x", count // 5
    for i in range(layers):
        matmul(body, "m%d" % i, last, "w")
        body.append("  %%a%d = graph.tanh %%m%d : %s" % (i, i, MATRIX))
        last = "a%d" % i
    for i in reversed(range(layers)):
        binary(body, "s%d" % i, "mul", "a%d" % i, "a%d" % i, MATRIX)
        binary(body, "g%d" % i, "mul", "s%d" % i, last, MATRIX)
        last = matmul(body, "h%d" % i, "g%d" % i, "w")
    return function([("x", MATRIX), ("w", MATRIX)], body, [last], [MATRIX])


def constants(count):
    body, last = [], "x"
    for i in range(count // 2):
        values = ", ".join("%d.5" % (7 * i + j) for j in range(64))
        body.append("  %%c%d = graph.constant dense<[%s]> : %s" % (i, values, VECTOR))
        last = binary(body, "a%d" % i, OPS[i % 3], last, "c%d" % i, VECTOR)
    return function([("x", VECTOR)], body, [last], [VECTOR])


def parameters(count):
    body, last, before = [], "x", ""
    for i in range(count // 2):
        before += "graph.param @w%d : %s = dense<%d.0> : %s\n" % (i, MATRIX, i, MATRIX)
        body.append("  %%w%d = graph.get_param @w%d : %s" % (i, i, MATRIX))
        last = matmul(body, "m%d" % i, last, "w%d" % i)
    return function([("x", MATRIX)], body, [last], [MATRIX], before)


def branch(i, then, otherwise, condition="c"):
    return "  %%a%d = graph.if %%%s then {\n%s\n  } else {\n%s\n  } : (tensor<i1>) -> %s" % (i, condition, then, otherwise,
                                                                                         VECTOR)


def yielding(name, op, left, right):
    return "    %%%s = graph.%s %%%s, %%%s : %s\n    graph.yield %%%s : %s" % (name, op, left, right, VECTOR, name, VECTOR)


def branches(count):
    body, last = [], "x"
    for i in range(count // 3):
        body.append(branch(i, yielding("t%d" % i, "add", last, "x"), yielding("e%d" % i, "mul", last, "x")))
        last = "a%d" % i
    return function([("x", VECTOR), ("c", "tensor<i1>")], body, [last], [VECTOR])


def nested(count):
    """Branches inside of each other."""
    inner, last = "", "x"
    for i in range(count // 8):
        inner = branch(i, inner + yielding("t%d" % i, "mul", last, "x"), "    graph.yield %x : " + VECTOR) + "\n"
        last = "a%d" % i
    return function([("x", VECTOR), ("c", "tensor<i1>")], [inner], [last], [VECTOR])


def own_arguments(levels):
    """A condition and a vector for each level of a nest."""
    return [("x", VECTOR)] + [("c%d" % i, "tensor<i1>") for i in range(levels)] + [("y%d" % i, VECTOR)
                                                                                   for i in range(levels)]


def conditions(count):
    """Branches inside of each other, in the first branch and the second by turns, each with a condition and a vector of
    its own."""
    inner, last, levels = "", "x", count // 4
    for i in range(levels):
        parts = [inner + yielding("t%d" % i, "mul", last, "y%d" % i), "    graph.yield %x : " + VECTOR]
        inner = branch(i, *parts[::1 if i % 2 else -1], "c%d" % i) + "\n"
        last = "a%d" % i
    return function(own_arguments(levels), [inner], [last], [VECTOR])


def loop(i, inner, last):
    types = "tensor<i64>, " + VECTOR
    test = ("  ^bb0(%%j%d: tensor<i64>, %%v%d: %s):\n    %%q%d = graph.compare lt, %%j%d, %%n%d : tensor<i64> -> tensor<i1>\n"
            "    graph.yield %%q%d : tensor<i1>" % (i, i, VECTOR, i, i, i, i))
    body = ("  ^bb0(%%j%d: tensor<i64>, %%v%d: %s):\n%s\n    %%t%d = graph.mul %%%s, %%v%d : %s\n"
            "    %%k%d = graph.add %%j%d, %%one : tensor<i64>\n    graph.yield %%k%d, %%t%d : %s" %
            (i, i, VECTOR, inner, i, last, i, VECTOR, i, i, i, i, types))
    return "  %%a%d:2 = graph.while %%zero, %%y%d cond {\n%s\n  } do {\n%s\n  } : (%s) -> (%s)" % (i, i, test, body, types,
                                                                                           types)


def loops(count):
    """Loops in branches in loops, each with a bound or a condition, and a vector, of its own."""
    inner, last, levels = "", "x", count // 8
    for i in range(levels):
        if i % 2:
            inner, last = loop(i, inner, last) + "\n", "a%d#1" % i
        else:
            inner = branch(i, inner + yielding("t%d" % i, "mul", last, "y%d" % i), "    graph.yield %x : " + VECTOR,
                           "c%d" % i) + "\n"
            last = "a%d" % i
    numbers = ["  %%%s = graph.constant dense<%d> : tensor<i64>" % (name, value) for name, value in (("zero", 0), ("one", 1))]
    bounds = [("n%d" % i, "tensor<i64>") for i in range(levels)]
    return function(own_arguments(levels) + bounds, numbers + [inner], [last], [VECTOR])


KINDS = (elementwise, recurrence, scalars, functions, hub, results, moves, reductions, matmuls, training, constants, parameters,
         branches, nested, conditions, loops)


def seconds(tool, text, folder):
    """Processor time of a compilation; None where it fails or takes minutes."""
    path = os.path.join(folder, "chain.mlir")
    with open(path, "w") as file:
        file.write(text)
    process = subprocess.Popen([tool, path, "--emit=obj", "--target=cpu:x86-64-v3", "-o", os.path.join(folder, "chain")],
                               stdout=subprocess.DEVNULL)
    before = os.times()
    try:
        code = process.wait(timeout=600)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent if code == 0 else None


def short_chain(tool, kind, empty, folder):
    """A length whose compilation takes at least 0.1 s more than the empty program's, and that time: None if it fails."""
    length = 1000
    spent = seconds(tool, kind(length), folder)
    while spent is not None and spent - empty < 0.1 and length < 4000:
        length *= 2
        spent = seconds(tool, kind(length), folder)
    return length, spent


def main(tool, names):
    growth = 4
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        empty = min(seconds(tool, elementwise(1), folder) for _ in range(3))
        for kind in KINDS:
            if names and kind.__name__ not in names:
                continue
            length, short = short_chain(tool, kind, empty, folder)
            long = seconds(tool, kind(length * growth), folder)
            if short is None or long is None:
                print("%s: does not compile" % kind.__name__)
                failed = True
                continue
            ratio = (long - empty) / max(short - empty, 0.05)
            slow = ratio > 2 * growth
            failed |= slow
            print("%-12s %5d ops %6.2f s, %5d ops %6.2f s: %5.1f times%s" %
                  (kind.__name__, length, short, length * growth, long, ratio, " TOO LONG" if slow else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
