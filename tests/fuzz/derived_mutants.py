#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derives functions of seeded mutants of GraphIR programs.

usage: derived_mutants.py BIN SEED COUNT PROGRAMS.def [--keep=DIR]

BIN holds zenith-translate and zenith-run. PROGRAMS.def is the list of small programs of the tests of gradient rules. A
mutant is a program changed as in mutants.py, and a chain of rules on the command line, or functions that the module says
are derived, or have rules of their own; rules, options and signatures are damaged too. A finding is an exit code other
than 0 to 3, a crash or a hang; every fourth program that can be derived is run by the interpreter, which may fail as any
program may (5, 6). Exits 1 where there are findings; --keep writes them to DIR.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

from mutants import limits, mutant

PROGRAM = re.compile(r'\{"(\w+)",\s*"([^"]*)",\s*R"\((.*?)\)"', re.S)
RULES = ("vjp", "vjp", "grad", "jvp", "vmap")
NOISE = "{}=,_@*-0123456789 abx\"\\\t"
SIZES = ("?", "0", "1", "2", "3", "5")


def programs(path):
    """(arguments, results, body) of each program: names and types of arguments, types of results."""
    with open(path) as file:
        text = file.read()
    for match in PROGRAM.finditer(text):
        arguments, _, results = match.group(2).partition(" -> ")
        names = re.findall(r"(%\w+): (tensor<[^ ,)]*(?:<[^>]*>)?>)", arguments)
        types = re.findall(r"tensor<(?:[^<>]|<[^>]*>)*>", results)
        if names and types:
            yield names, types, match.group(3)


def function(name, program, attributes=""):
    arguments, results, body = program
    return "func.func private @%s(%s) -> (%s) %s{%s\n}\n" % (
        name, ", ".join("%s: %s" % pair for pair in arguments), ", ".join(results), attributes, body)


def is_float(type_):
    return not re.search(r"[<x]u?i\d+>", type_)


def options(rng, rule, arguments, results):
    """Options as a user writes them, now and then wrong."""
    def some(count):
        return ",".join(str(rng.randrange(-1, count + 2) if rng.random() < 0.1 else rng.randrange(max(count, 1)))
                        for _ in range(rng.choice((1, 1, 2))))
    parts = []
    if rule == "vmap":
        parts.append("in=" + ",".join(rng.choice(("_", "0", "0", "1", "2")) for _ in range(arguments)))
        if rng.random() < 0.5:
            parts.append("out=" + rng.choice(("0", "1", "0,1", "3")))
    else:
        if rng.random() < 0.5:
            parts.append("wrt=" + rng.choice((some(arguments), some(arguments), "@*", "@w", "x")))
        if rng.random() < 0.4:
            parts.append("of=" + some(results))
        if rule != "jvp" and rng.random() < 0.3:
            parts.append("tape=" + rng.choice(("sqrt", "store", "all")))
    if rng.random() < 0.1:
        parts.append(rng.choice(("entry=", "name=")) + rng.choice(("main", "f", "d0", "own", "none", "")))
    text = " ".join(parts)
    if rng.random() < 0.1 and text:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(NOISE) + text[at + rng.randrange(2):]
    return text


def derived(rule, arguments, results, wrt, of):
    """Types of the derived function: what is right where the options say wrt and of."""
    inputs, outputs = [arguments[i] for i in wrt], [results[i] for i in of]
    if rule == "vjp":
        return arguments + outputs, results + inputs
    if rule == "jvp":
        return arguments + inputs, results + outputs
    return arguments, results + inputs


def damaged(rng, types):
    """A signature that may not be the derived one."""
    types = list(types)
    if rng.random() < 0.15 and types:
        at = rng.randrange(len(types))
        change = rng.randrange(3)
        if change == 0:
            del types[at]
        elif change == 1:
            types.insert(at, types[at])
        else:
            types[at] = re.sub(r"\d+|\?", rng.choice(SIZES), types[at], count=1)
    return types


def joined(types):
    return ", ".join(types)


def derive_module(rng, program):
    """@main calls functions that are derived from @f, or from each other."""
    arguments, results = [type_ for _, type_ in program[0]], list(program[1])
    text = function("f", program, custom(rng, arguments, results)[0])
    text += custom_functions(rng, arguments, results)
    source, name = "f", "f"
    for i in range(rng.choice((1, 1, 1, 2))):
        rule = rng.choice(("vjp", "jvp"))
        wrt = [k for k, type_ in enumerate(arguments) if is_float(type_)]
        of = [k for k, type_ in enumerate(results) if is_float(type_)]
        arguments, results = derived(rule, arguments, results, wrt, of)
        arguments, results = damaged(rng, arguments), damaged(rng, results)
        given = "" if rng.random() < 0.7 else options(rng, rule, len(arguments), len(results))
        name = "d%d" % i
        cycle = rng.choice((name, "d1", "main", "none")) if rng.random() < 0.08 else source
        word = rule if rng.random() < 0.95 else rng.choice(("vmap", "grad", "vpj", ""))
        text += 'func.func private @%s(%s) -> (%s) attributes {graph.derive = {rule = "%s", of = @%s, options = "%s"}}\n' % (
            name, joined(arguments), joined(results), word, cycle, given.replace("\\", "").replace('"', ""))
        source = name
    names = ["%%a%d" % i for i in range(len(arguments))]
    call = "%%r:%d = " % len(results) if results else ""
    text += "func.func @main(%s) -> (%s) {\n  %scall @%s(%s) : (%s) -> (%s)\n  return %s%s\n}\n" % (
        joined("%s: %s" % pair for pair in zip(names, arguments)), joined(results), call, name, joined(names),
        joined(arguments), joined(results), joined("%%r#%d" % i for i in range(len(results))),
        " : " + joined(results) if results else "")
    return text


def custom(rng, arguments, results):
    kind = rng.random()
    if kind < 0.15:
        return ("attributes {graph.custom_jvp = @own} ",)
    if kind < 0.3:
        return ("attributes {graph.custom_vjp = {forward = @ahead, backward = @back}} ",)
    return ("",)


def constants(rng, name, arguments, results):
    """A function whose results are zeros, or arguments of their types."""
    text = "func.func private @%s(%s) -> (%s) {\n" % (
        name, joined("%%a%d: %s" % pair for pair in enumerate(arguments)), joined(results))
    values = []
    for i, type_ in enumerate(results):
        same = [k for k, other in enumerate(arguments) if other == type_]
        if same and rng.random() < 0.8:
            values.append("%%a%d" % rng.choice(same))
            continue
        zero = "0.0" if is_float(type_) and "complex" not in type_ else "(0.0, 0.0)" if "complex" in type_ else "0"
        text += "  %%c%d = graph.constant dense<%s> : %s\n" % (i, zero, type_)
        values.append("%%c%d" % i)
    return text + "  return %s%s\n}\n" % (joined(values), " : " + joined(results) if results else "")


def custom_functions(rng, arguments, results):
    """Rules of their own, of signatures that may be wrong."""
    floats = [type_ for type_ in arguments if is_float(type_)]
    changes = [type_ for type_ in results if is_float(type_)]
    residuals = [rng.choice(arguments)] if rng.random() < 0.5 else []
    text = constants(rng, "own", damaged(rng, arguments + floats), damaged(rng, results + changes))
    text += constants(rng, "ahead", damaged(rng, arguments), damaged(rng, results + residuals))
    return text + constants(rng, "back", damaged(rng, residuals + changes), damaged(rng, floats))


def program_mutant(rng, program):
    """The text of a module, and options of the command line."""
    if rng.random() < 0.4:
        text, rules = derive_module(rng, program), []
    else:
        text = function("main", program).replace(" private", "", 1)
        rules = []
        for _ in range(rng.choice((1, 1, 1, 2))):
            rule = rng.choice(RULES)
            word = rule if rng.random() < 0.97 else rule[1:]
            form = "--transform=%s{%s}" if rng.random() < 0.97 else "--transform=%s{%s"
            rules.append(form % (word, options(rng, rule, len(program[0]), len(program[1]))))
    if rng.random() < 0.6:
        text = mutant(rng, text)
    return text, rules


def run(command):
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    return done.returncode, done.stderr.decode(errors="replace")


def main(folder, seed, count, path, keep):
    rng = random.Random(seed)
    known = list(programs(path))
    codes, findings, derivable = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as work:
        module = os.path.join(work, "mutant.mlir")
        for number in range(count):
            text, rules = program_mutant(rng, rng.choice(known))
            with open(module, "w") as file:
                file.write(text)
            code, errors = run([os.path.join(folder, "zenith-translate"), module, "-o", "-", "--to-format=graphir"] + rules)
            codes["derived %s" % code] += 1
            good = {0, 1, 2, 3}
            derivable += code == 0
            if code == 0 and derivable % 4 == 0:
                code, errors = run([os.path.join(folder, "zenith-run"), module, "--target=interp", "--random-inputs=1"] + rules)
                codes["run %s" % code] += 1
                good = {0, 1, 2, 3, 5, 6}
                # A loop may have lost what ends it.
                if code in ("timeout", -24) and "graph.while" in text:
                    continue
            if code in good:
                continue
            findings += 1
            print("mutant %d: exit %s: %s: %s" % (number, code, " ".join(rules), errors.strip().split("\n")[0][:200]), flush=True)
            if keep:
                os.makedirs(keep, exist_ok=True)
                with open(os.path.join(keep, "%s-%d.mlir" % (seed, number)), "w") as file:
                    file.write("// exit %s %s\n%s" % (code, " ".join(rules), text))
    print("%d mutants, %d findings: %s" % (count, findings, dict(sorted(codes.items()))))
    return 1 if findings or not derivable else 0


if __name__ == "__main__":
    folders = [argument[len("--keep="):] for argument in sys.argv[4:] if argument.startswith("--keep=")]
    files = [argument for argument in sys.argv[4:] if not argument.startswith("--keep=")]
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), files[0], folders[0] if folders else None))
