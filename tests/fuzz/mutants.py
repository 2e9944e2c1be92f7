#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs seeded mutants of programs on the interpreter and on the cpu target.

usage: mutants.py ZENITH_RUN SEED COUNT PROGRAMS... [--keep=DIR] [--format=graphir|stablehlo|onnx]

PROGRAMS are files of GraphIR or StableHLO modules with // ----- between them, and .onnx files (onnx_mutants.py); with
a --format other than graphir, those of GraphIR that can be said in the format are exported first. A mutant of text has a size, an element type, an operand, an op of the
same form, an attribute or a constant changed, sizes and types everywhere at once, so that most are valid. A finding is a
crash, a hang, an internal error (exit 4), results that differ, or a program that one target accepts and the other one
calls invalid. Exits 1 where there are findings; --keep writes them to DIR.
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

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui32", "ui64")
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
# Ops of one form each: any may stand for another.
FORMS = (
    ("add", "sub", "mul", "max", "min", "div", "rem", "pow", "atan2"),
    ("and", "or", "xor"),
    ("exp", "log", "tanh", "neg", "abs", "sqrt", "rsqrt", "sin", "cos", "logistic", "floor", "ceil", "sign", "erf", "cbrt",
     "expm1", "log1p", "tan", "round_even"),
    ("reduce sum", "reduce max", "reduce min", "reduce product"),
    ("add", "subtract", "multiply", "maximum", "minimum", "divide", "remainder", "power", "atan2"),
    ("shift_left", "shift_right_arithmetic", "shift_right_logical"),
    ("exponential", "log", "tanh", "negate", "abs", "sqrt", "rsqrt", "sine", "cosine", "logistic", "floor", "ceil", "sign",
     "cbrt", "exponential_minus_one", "log_plus_one", "tan", "round_nearest_even", "round_nearest_afz", "not", "popcnt"),
    ("slice", "pad", "transpose", "reverse", "broadcast_in_dim", "reshape"),
)
DIRECTIONS = (("eq", "ne", "lt", "le", "gt", "ge"), ("EQ", "NE", "LT", "LE", "GT", "GE"))
FLOAT_CONSTANTS = ("0.0", "-1.0", "1.0e38", "0x7FC00000", "0x7F800000", "1.0e-40", "3.0")
GOOD = {0, 1, 2, 3, 5, 6}
REFUSED = {2, 3, 6}


def choose_match(rng, text, pattern, change):
    """Changes one of the places where `pattern` matches."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = rng.choice(found)
    return text[:match.start()] + change(match) + text[match.end():]


def change_size(rng, text):
    """One size becomes another one, in all types and lists."""
    sizes = sorted(set(re.findall(r"(?<=[<x])(\d+)(?=x)", text)))
    if not sizes:
        return text
    old, new = rng.choice(sizes), str(rng.choice(SIZES))
    text = re.sub(r"(?<=[<x])%s(?=x)" % old, new, text)
    if rng.random() < 0.7:
        text = re.sub(r"(?<=[\[ ])%s(?=[,\]])" % old, new, text)
    return re.sub(r'"%s"' % old, '"%s"' % new, text)


def change_type(rng, text):
    kinds = rng.choice((FLOATS, INTEGERS))
    present = [kind for kind in kinds if re.search(r"[<x]%s>" % kind, text)]
    if not present:
        return text
    return re.sub(r"(?<=[<x])%s(?=>)" % rng.choice(present), rng.choice(kinds), text)


def change_operand(rng, text):
    """Operands of ops that name one type change places, or become another value of that type."""
    found = list(re.finditer(r"(?:graph|stablehlo)\.\w+ (%\w+), (%\w+) : (tensor<[^>]*>)$", text, re.M))
    if not found:
        return text
    match = rng.choice(found)
    if rng.random() < 0.5:
        return text[:match.start(1)] + match.group(2) + ", " + match.group(1) + text[match.end(2):]
    before = text[:match.start()]
    of_type = re.findall(r"(%\w+): " + re.escape(match.group(3)), before)
    of_type += re.findall(r"(%\w+) = (?:graph|stablehlo)\.\w+ %\w+, %\w+ : " + re.escape(match.group(3)) + "$", before, re.M)
    if not of_type:
        return text
    return text[:match.start(2)] + rng.choice(of_type) + text[match.end(2):]


def change_op(rng, text):
    form = rng.choice(FORMS)
    pattern = r"(graph|stablehlo)\.(%s)(?= %%|, %%)" % "|".join(form)
    return choose_match(rng, text, pattern, lambda match: match.group(1) + "." + rng.choice(form))


def change_list(rng, text):
    """An entry of a list of numbers: another number, or two entries change places."""
    def change(match):
        entries = match.group(1).split(", ")
        i, j = rng.randrange(len(entries)), rng.randrange(len(entries))
        if rng.random() < 0.5:
            entries[i], entries[j] = entries[j], entries[i]
        else:
            entries[i] = str(int(entries[i]) + rng.choice((-1, 1, 2)))
        return match.group(0).replace(match.group(1), ", ".join(entries))
    return choose_match(rng, text, r"(?:\[|array<i64: )(-?\d+(?:, -?\d+)*)[\]>]", change)


def change_word(rng, text):
    if rng.random() < 0.5:
        words = rng.choice(DIRECTIONS)
        return choose_match(rng, text, r"(?<= )(?:%s)(?=,? %%|\b)" % "|".join(words), lambda match: rng.choice(words))
    return choose_match(rng, text, r"\b(?:true|false)\b", lambda match: rng.choice(("true", "false")))


def change_constant(rng, text):
    return choose_match(rng, text, r"-?\d+\.\d+(?:[eE][+-]?\d+)?", lambda match: rng.choice(FLOAT_CONSTANTS))


CHANGES = (change_size, change_size, change_type, change_operand, change_op, change_op, change_list, change_word,
           change_constant)


def mutant(rng, text):
    if isinstance(text, bytes):
        return onnx_mutants.mutant(rng, text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = rng.choice(CHANGES)(rng, text)
    return text


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 65))
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
                yield part


def exported(tool, programs, form, folder):
    """The programs that the format can say, as text or bytes."""
    translate = os.path.join(os.path.dirname(tool), "zenith-translate")
    source = os.path.join(folder, "source.mlir")
    target = os.path.join(folder, "target.onnx" if form == "onnx" else "target.mlir")
    for program in programs:
        with open(source, "w") as file:
            file.write(program)
        command = [translate, source, "-o", target, "--to-format=" + form]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            yield from modules([target])


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def main(tool, seed, count, paths, keep, form):
    rng = random.Random(seed)
    programs = list(modules(paths))
    codes, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        if form and form != "graphir":
            programs = list(exported(tool, programs, form, folder))
        for number in range(count):
            text = mutant(rng, rng.choice(programs))
            suffix = ".onnx" if isinstance(text, bytes) else ".mlir"
            path = os.path.join(folder, "mutant" + suffix)
            write(path, text)
            meaning, errors, sizes = run_with_sizes(tool, path, "interp")
            compiled = None
            if may_not_end(text, meaning):
                codes["endless"] += 1
                continue
            if meaning not in (1, 2) or number % 8 == 0:
                compare = ["--compare=interp"] if meaning == 0 else []
                compiled, more = run(tool, path, "cpu", sizes + compare)
                errors += more
            codes["interp %s" % meaning] += 1
            wrong = finding(meaning, compiled)
            if not wrong:
                continue
            findings += 1
            print("mutant %d: %s: %s" % (number, wrong, errors.strip().split("\n")[0][:200]), flush=True)
            if keep:
                os.makedirs(keep, exist_ok=True)
                if isinstance(text, str):
                    text = "// %s %s\n%s" % (wrong, " ".join(sizes), text)
                write(os.path.join(keep, "%s-%d%s" % (seed, number, suffix)), text)
    print("%d mutants, %d findings: %s" % (count, findings, dict(sorted(codes.items()))))
    return 1 if findings else 0


if __name__ == "__main__":
    files = [argument for argument in sys.argv[4:] if not argument.startswith("--")]
    options = dict(argument[2:].split("=", 1) for argument in sys.argv[4:] if argument.startswith("--"))
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), files, options.get("keep"), options.get("format")))
