#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what libzenith.so exports with the committed list and with its header.

usage: exports.py LIBRARY LIST HEADER [BYTES]

BYTES: the most that the library may have.
"""
import os
import re
import subprocess
import sys

library, committed, header = sys.argv[1:4]
most = int(sys.argv[4]) if len(sys.argv) > 4 else sys.maxsize
size = os.path.getsize(library)
rows = [line.split() for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                                                check=True).stdout.splitlines()]
exported = sorted(row[2] for row in rows if row[1] != "A")
expected = [line for line in open(committed).read().split("\n") if line and not line.startswith("#")]
text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
declared = set(re.findall(r"\b(zenith_\w+)\s*\(", " ".join(re.findall(r"ZENITH_API[^;]*;", text))))
needed = re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", library], capture_output=True, text=True,
                                                        check=True).stdout)
faults = [f"exported and not listed: {name}" for name in sorted(set(exported) - set(expected))]
faults += [f"listed and not exported: {name}" for name in sorted(set(expected) - set(exported))]
faults += [f"declared and not exported: {name}" for name in sorted(declared - {name.split("@")[0] for name in exported})]
faults += [f"needs {name}" for name in needed if re.search(r"LLVM|MLIR|fmt|OpenCL", name)]
faults += [f"has {size} bytes, at most {most} are allowed"] if size > most else []
print("\n".join(faults) or f"{len(exported)} functions, {size} bytes")
sys.exit(bool(faults))
