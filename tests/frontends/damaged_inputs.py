# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs zenith-run on damaged files and judges its answers.

Each answer must be an exit code of 0, 2, 3, 5, 6 or 7, with a message unless 0, within 60 s and bounded memory. Where a size
is not known, it is given. Prints one line per violation and a summary. The damage is a function of the case's number, so a
finding can be repeated.
"""
import collections
import os
import random
import re
import resource
import subprocess
import tempfile

LIMIT_BYTES = 6 << 30  # address space; mapped libraries and stacks take part of it
ALLOWED = {0, 2, 3, 5, 6, 7}


def damage_bytes(data, rng):
    """Changes bytes without regard to what they mean."""
    data = bytearray(data)
    kind = rng.choice(["truncate", "flip", "flip", "bytes", "insert", "remove", "varint", "swap", "repeat"])
    at = rng.randrange(max(1, min(len(data), rng.choice([64, 4096, len(data)]))))
    if kind == "truncate":
        del data[at:]
    elif kind == "flip":
        for _ in range(rng.choice([1, 1, 3, 20])):
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


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(command):
    """Exit code and message; sizes that the program leaves open are 2."""
    sizes = {}
    while True:
        arguments = command + [f"--dim={name}=2" for name in sizes]
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


def judge(command, count, paths, damage, prepare=lambda folder: None):
    """Runs `command`, with a damaged file's name in the place of FILE, `count` times; the number of violations.

    `damage` maps the bytes of an original and a random.Random to the kind of damage, the name of the damaged file and its
    bytes; `prepare` puts into the folder what lies beside the files.
    """
    originals = [open(path, "rb").read() for path in paths]
    verdicts, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for k in range(count):
            kind, name, data = damage(originals[k % len(originals)], random.Random(k))
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            code, text = answer([path if word == "FILE" else word for word in command])
            verdicts[code] += 1
            if code not in ALLOWED or (code and not text):
                findings += 1
                print(f"case {k} ({kind} of {paths[k % len(paths)]}): exit {code}: {text[:200]}")
    print(f"{count} damaged files: " + ", ".join(f"{n} x exit {code}" for code, n in sorted(verdicts.items(), key=str)))
    return findings
