# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX models on the wire format: graphs of nodes, constants and values whose dimensions may be open."""
import struct

from onnx_mutants import varint

FLOAT, INT64, BOOL = 1, 7, 9


def number(field, value):
    return varint(field << 3) + varint(value)


def chunk(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    """An integer, float, text, list of integers, tensor (bytes) or Graph."""
    out = chunk(1, name)
    if isinstance(value, bool) or isinstance(value, int):
        return out + number(3, int(value)) + number(20, 2)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return out + chunk(4, value) + number(20, 3)
    if isinstance(value, Graph):
        return out + chunk(6, value.bytes()) + number(20, 5)
    if isinstance(value, bytes):
        return out + chunk(5, value) + number(20, 4)
    return out + b"".join(number(8, item) for item in value) + number(20, 7)


def tensor(name, kind, shape, values):
    data = struct.pack("<%d%s" % (len(values), {FLOAT: "f", INT64: "q", BOOL: "?"}[kind]), *values)
    return b"".join(number(1, size) for size in shape) + number(2, kind) + chunk(8, name) + chunk(9, data)


def value_info(name, kind, dims):
    """`dims`: numbers, names, or None for a dimension that has neither."""
    shape = b""
    for dim in dims:
        shape += chunk(1, b"" if dim is None else number(1, dim) if isinstance(dim, int) else chunk(2, dim))
    return chunk(1, name) + chunk(2, chunk(1, number(1, kind) + chunk(2, shape)))


class Graph:
    def __init__(self, name):
        self.name, self.nodes, self.constants, self.inputs, self.outputs = name, [], [], [], []

    def node(self, op, inputs, outputs, attributes):
        out = b"".join(chunk(1, name) for name in inputs) + b"".join(chunk(2, name) for name in outputs)
        self.nodes.append(out + chunk(3, outputs[0]) + chunk(4, op) +
                          b"".join(chunk(5, attribute(*item)) for item in sorted(attributes.items())))

    def bytes(self):
        parts = ((1, self.nodes), (2, [self.name]), (5, self.constants), (11, self.inputs), (12, self.outputs))
        return b"".join(chunk(field, item) for field, items in parts for item in items)


def model(graph, opset):
    return number(1, 10) + chunk(7, graph.bytes()) + chunk(8, chunk(1, "") + number(2, opset))
