#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages StableHLO programs, text and portable artifacts, and checks how zenith-run answers (see damaged_inputs.py).

usage: damage.py ZENITH_RUN COUNT PROGRAM...

Exits 1 where an answer is not as it should be.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from damaged_inputs import damage_bytes, judge

WORDS = ["f32", "i1", "ui8", "bf16", "?", "0", "1", "-1", "9223372036854775807", "tensor<", "dense<", "add", "reduce", "sort",
         "scatter", "gather", "while", "return", "[", "]", "{", "}", "(", ")", "%0", "%arg0", "%arg1", ",", "NE", "LT", "true"]


def damage_text(text, rng):
    """Exchanges, drops or doubles tokens and lines, so that much of the damage still parses."""
    kind = rng.choice(["token", "token", "word", "number", "drop", "line", "double", "truncate"])
    tokens = re.findall(r"\s+|\w+|[^\w\s]", text)
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    at = rng.choice(places)
    if kind == "token":
        tokens[at] = tokens[rng.choice(places)]
    elif kind == "word":
        tokens[at] = rng.choice(WORDS)
    elif kind == "number":
        numbers = [i for i in places if tokens[i].isdigit()]
        tokens[rng.choice(numbers or places)] = str(rng.choice([0, 1, 2, 3, 5, 64, 1 << 20, 1 << 31, (1 << 63) - 1, -1]))
    elif kind == "drop":
        del tokens[at:at + rng.choice([1, 1, 2, 5])]
    elif kind == "truncate":
        del tokens[at:]
    else:
        lines = text.split("\n")
        row = rng.randrange(len(lines))
        if kind == "double":
            lines.insert(rng.randrange(len(lines)), lines[row])
        else:
            del lines[row]
        return kind, "\n".join(lines)
    return kind, "".join(tokens)


def damage(original, rng):
    if original.startswith(b"ML\xefR"):
        kind, data = damage_bytes(original, rng)
        return kind, "damaged.mlir.bc", data
    kind, text = damage_text(original.decode(), rng)
    return kind, "damaged.mlir", text.encode()


def main():
    tool, count, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    command = [tool, "FILE", "--random-inputs", "--target=interp"]
    return 1 if judge(command, count, programs, damage) else 0


if __name__ == "__main__":
    sys.exit(main())
