# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""raw_files.py DIR NAME=TYPE:V,V,...: writes DIR/NAME.raw; TYPE as struct has it."""
import struct
import sys

for word in sys.argv[2:]:
    name, rest = word.split("=", 1)
    kind, values = rest.split(":")
    numbers = [float(v) if kind in "fd" else int(v) for v in values.split(",")]
    with open(f"{sys.argv[1]}/{name}.raw", "wb") as file:
        file.write(struct.pack(f"<{len(numbers)}{kind}", *numbers))
