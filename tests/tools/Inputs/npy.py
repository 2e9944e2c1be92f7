# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: npy.py write FILE DESCR SHAPE NUMBER... | npy.py print FILE: small .npy files without NumPy. Fewer numbers than the
# shape has elements are repeated.
import ast
import math
import struct
import sys

CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "?", "<u2": "H", "|i1": "b", "|u1": "B"}


def write(path, descr, shape, *numbers):
    dims = tuple(int(d) for d in shape.split("x") if d)
    code = CODES[descr]
    values = [float(n) if code in "fd" else int(n) for n in numbers]
    count = math.prod(dims)
    if 0 < len(values) < count:
        values = (values * -(-count // len(values)))[:count]
    header = str({"descr": descr, "fortran_order": False, "shape": dims}) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def show(path):
    data = open(path, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    code = CODES[header["descr"]]
    values = struct.unpack(f"<{(len(data) - 10 - length) // struct.calcsize('<' + code)}{code}", data[10 + length :])
    print(header["descr"], header["shape"], list(values))


{"write": write, "print": show}[sys.argv[1]](*sys.argv[2:])
