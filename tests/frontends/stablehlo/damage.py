#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages StableHLO programs, text and portable artifacts, and checks how zenith-run answers.

usage: damage.py ZENITH_RUN COUNT PROGRAM...

Each answer must be an exit code of 0, 2, 3, 5, 6 or 7, with a message unless 0, within 60 s and bounded memory. Prints one
line per violation and a summary; exits 1 where there is one. The damage is a function of the case's number, so a finding
can be repeated.
"""
import collections
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

LIMIT_BYTES = 6 << 30
ALLOWED = {0, 2, 3, 5, 6, 7}
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


def damage_bytes(data, rng):
    data = bytearray(data)
    kind = rng.choice(["truncate", "flip", "flip", "bytes", "insert", "remove", "swap"])
    at = rng.randrange(len(data))
    if kind == "truncate":
        del data[at:]
    elif kind == "flip":
        for _ in range(rng.choice([1, 1, 3, 20])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "bytes":
        data[at:at + 4] = rng.randbytes(4)
    elif kind == "insert":
        data[at:at] = rng.randbytes(rng.randrange(1, 20))
    elif kind == "remove":
        del data[at:at + rng.randrange(1, 40)]
    else:
        other = rng.randrange(len(data))
        data[at:at + 8], data[other:other + 8] = data[other:other + 8], data[at:at + 8]
    return kind, bytes(data)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tool, path):
    """Exit code and message; sizes that the program leaves open are 2."""
    sizes = {}
    while True:
        arguments = [tool, path, "--random-inputs", "--target=interp"] + [f"--dim={name}=2" for name in sizes]
        try:
            done = subprocess.run(arguments, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return "time-out", ""
        text = done.stderr.decode(errors="replace").strip()
        unknown = re.search(r"the size of dimension '(.*)' of input '.*' is not known", text, re.S)
        if done.returncode != 1:
            return done.returncode, text
        # Without an entry or a size that can be given the program is nobody's mistake.
        if not unknown or unknown[1] in sizes or "=" in unknown[1] or "\0" in unknown[1]:
            return 2, text
        sizes[unknown[1]] = 2


def main():
    tool, count, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    originals = [open(path, "rb").read() for path in programs]
    verdicts, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            rng = random.Random(k)
            original = originals[k % len(originals)]
            binary = original.startswith(b"ML\xefR")
            if binary:
                kind, data = damage_bytes(original, rng)
            else:
                kind, text = damage_text(original.decode(), rng)
                data = text.encode()
            path = os.path.join(folder, "damaged.mlir.bc" if binary else "damaged.mlir")
            with open(path, "wb") as file:
                file.write(data)
            code, text = run(tool, path)
            verdicts[code] += 1
            if code not in ALLOWED or (code and not text):
                findings += 1
                print(f"case {k} ({kind} of {programs[k % len(programs)]}): exit {code}: {text[:200]}")
    print(f"{count} damaged programs: " + ", ".join(f"{n} x exit {code}" for code, n in sorted(verdicts.items(), key=str)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
