#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages ONNX files in many ways and checks how zenith-run answers.

usage: damage.py ZENITH_RUN COUNT MODEL.onnx...

Each answer must be an exit code of 0, 2, 3, 5 or 6, with a message unless 0, within 60 s and bounded memory. Where a
size is not known, it is given. Prints one line per violation and a summary; exits 1 where there is one. The damage is a
function of the case's number, so a finding can be repeated.
"""
import collections
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

LIMIT_BYTES = 6 << 30  # address space; mapped libraries and stacks take part of it
ALLOWED = {0, 2, 3, 5, 6}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def encoded(value):
    text = b""
    while value > 127:
        text, value = text + bytes([value & 127 | 128]), value >> 7
    return text + bytes([value])


def fields(data):
    """Protobuf without a schema: lists of [tag, content], where content is a number, bytes or again such a list."""
    result, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if tag < 8 or kind not in (0, 1, 2, 5):
            raise ValueError
        if kind == 0:
            content, at = varint(data, at)
        else:
            length, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            content, at = bytes(data[at:at + length]), at + length
            if at > len(data):
                raise ValueError
            try:
                if kind == 2 and 1 < length < 100000 and any(byte < 32 for byte in content):
                    content = fields(content)
            except (ValueError, IndexError):
                pass
        result.append([tag, content])
    return result


def text_of(tree):
    text = b""
    for tag, content in tree:
        body = text_of(content) if isinstance(content, list) else content
        text += encoded(tag) + (encoded(body) if tag & 7 == 0 else encoded(len(body)) + body if tag & 7 == 2 else body)
    return text


def damage_fields(data, rng):
    """Changes some fields and leaves the rest a well-formed message, so that damage comes deeper."""
    tree, leaves = fields(data), []

    def collect(parent):
        for field in parent:
            leaves.append((parent, field))
            if isinstance(field[1], list):
                collect(field[1])

    collect(tree)
    kinds = [rng.choice(["number", "exchange", "drop", "double"]) for _ in range(rng.choice([1, 1, 2, 4]))]
    for kind in kinds:
        parent, field = rng.choice(leaves)
        if kind == "number":
            numbers = [leaf for _, leaf in leaves if isinstance(leaf[1], int)]
            rng.choice(numbers)[1] = rng.choice([0, 1, 2, 3, 7, 64, 1 << 20, 1 << 31, (1 << 63) - 1, (1 << 64) - 1,
                                                 (1 << 64) - rng.randrange(1, 9), rng.randrange(1, 30)])
        elif kind == "exchange":
            alike = [leaf for _, leaf in leaves if leaf[0] == field[0]]
            other = rng.choice(alike)
            field[1], other[1] = other[1], field[1]
        elif kind == "drop":
            parent[:] = [other for other in parent if other is not field]
        else:
            parent.append(list(field))
    return "+".join(kinds), text_of(tree)


def damage(data, rng):
    if rng.random() < 0.6:
        try:
            return damage_fields(data, rng)
        except RecursionError:
            pass
    return damage_bytes(data, rng)


def damage_bytes(data, rng):
    data = bytearray(data)
    kind = rng.choice(["truncate", "flip", "bytes", "insert", "remove", "varint", "swap", "repeat"])
    at = rng.randrange(max(1, min(len(data), rng.choice([64, 4096, len(data)]))))
    if kind == "truncate":
        del data[at:]
    elif kind == "flip":
        for _ in range(rng.choice([1, 3, 20])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "bytes":
        data[at:at + 8] = rng.randbytes(8)
    elif kind == "insert":
        data[at:at] = rng.randbytes(rng.randrange(1, 40))
    elif kind == "remove":
        del data[at:at + rng.randrange(1, 200)]
    elif kind == "varint":
        data[at:at + 1] = b"\xff" * 9 + b"\x01"
    elif kind == "swap":
        other = rng.randrange(len(data))
        data[at:at + 30], data[other:other + 30] = data[other:other + 30], data[at:at + 30]
    else:
        data[at:at] = data[at:at + 100] * rng.randrange(1, 50)
    return kind, bytes(data)


def run(tool, path):
    """Exit code and message; sizes that the model leaves open are 2."""
    sizes = {}
    while True:
        arguments = [tool, path, "--random-inputs", "--threads=1"] + [f"--dim={name}=2" for name in sizes]
        try:
            done = subprocess.run(arguments, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return "time-out", ""
        text = done.stderr.decode(errors="replace").strip()
        unknown = re.search(r"the size of dimension '(.*)' of input '.*' is not known", text, re.S)
        if done.returncode != 1 or not unknown:
            return done.returncode, text
        # A name that cannot be given on a command line is nobody's mistake.
        if unknown[1] in sizes or "=" in unknown[1] or "\0" in unknown[1]:
            return 2, text
        sizes[unknown[1]] = 2


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    tool, count, models = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    originals = [open(path, "rb").read() for path in models]
    verdicts, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "damaged.onnx")
        for model in models:  # external data lies beside a model
            for name in os.listdir(os.path.dirname(model) or "."):
                beside = os.path.join(os.path.dirname(model), name)
                if os.path.isfile(beside) and not name.endswith(".onnx"):
                    shutil.copy(beside, folder)
        for k in range(count):
            rng = random.Random(k)
            kind, data = damage(originals[k % len(originals)], rng)
            with open(path, "wb") as file:
                file.write(data)
            code, text = run(tool, path)
            verdicts[code] += 1
            if code not in ALLOWED or (code and not text):
                findings += 1
                print(f"case {k} ({kind} of {models[k % len(models)]}): exit {code}: {text[:200]}")
    print(f"{count} damaged models: " + ", ".join(f"{n} x exit {code}" for code, n in sorted(verdicts.items(), key=str)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
