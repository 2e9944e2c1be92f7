#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages ONNX files in many ways and checks how zenith-run answers (see damaged_inputs.py).

usage: damage.py ZENITH_RUN COUNT MODEL.onnx...

Exits 1 where an answer is not as it should be.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from damaged_inputs import damage_bytes, judge


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
    kind = None
    if rng.random() < 0.6:
        try:
            kind, damaged = damage_fields(data, rng)
        except RecursionError:
            pass
    if not kind:
        kind, damaged = damage_bytes(data, rng)
    return kind, "damaged.onnx", damaged


def main():
    tool, count, models = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

    def copy_external_data(folder):
        for model in models:
            for name in os.listdir(os.path.dirname(model) or "."):
                beside = os.path.join(os.path.dirname(model), name)
                if os.path.isfile(beside) and not name.endswith(".onnx"):
                    shutil.copy(beside, folder)

    command = [tool, "FILE", "--random-inputs", "--threads=1"]
    return 1 if judge(command, count, models, damage, copy_external_data) else 0


if __name__ == "__main__":
    sys.exit(main())
