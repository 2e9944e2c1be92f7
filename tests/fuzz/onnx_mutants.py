# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded changes of ONNX files, on the wire format: an operator of the same form, an attribute, an input, a size or an
element type everywhere at once, the opset, so that many mutants are valid."""
import struct

OPERATORS = (
    (b"Add", b"Sub", b"Mul", b"Div", b"Pow", b"Max", b"Min", b"Mod"),
    (b"And", b"Or", b"Xor"),
    (b"Equal", b"Less", b"Greater", b"LessOrEqual", b"GreaterOrEqual"),
    (b"Exp", b"Log", b"Tanh", b"Neg", b"Abs", b"Sqrt", b"Sin", b"Cos", b"Sigmoid", b"Floor", b"Ceil", b"Sign", b"Erf", b"Relu",
     b"Tan", b"Round", b"Softplus", b"Identity", b"Reciprocal", b"Not"),
    (b"ReduceSum", b"ReduceMax", b"ReduceMin", b"ReduceProd", b"ReduceMean", b"ReduceL1", b"ReduceL2", b"ReduceLogSumExp"),
    (b"ArgMax", b"ArgMin"),
    (b"Softmax", b"LogSoftmax", b"Hardmax"),
    (b"Gather", b"GatherElements", b"GatherND"),
    (b"MaxPool", b"AveragePool", b"LpPool"),
    (b"Squeeze", b"Unsqueeze", b"Reshape", b"Expand", b"Tile"),
)
NUMBERS = (-2, -1, 0, 1, 2, 3, 4, 7)
FLOATS = (0.0, -1.0, 1.0e38, float("nan"), float("inf"), 1.0e-40, 0.5)
# FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT32, INT64, INT8, UINT8, BOOL
TYPES = (1, 11, 10, 16, 6, 7, 3, 2, 9)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17)

# Fields of messages that hold messages, by kind.
KINDS = {
    "model": {7: "graph", 8: "opset"},
    "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 13: "value"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph"},
    "value": {2: "type"},
    "type": {1: "tensor_type"},
    "tensor_type": {2: "shape"},
    "shape": {1: "dim"},
}


def read_varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Message:
    """Fields in order: [number, wire type, value]; a value is a number, bytes or a Message."""

    def __init__(self, kind, data):
        self.kind, self.fields, at = kind, [], 0
        while at < len(data):
            key, at = read_varint(data, at)
            number, wire = key >> 3, key & 7
            if wire == 0:
                value, at = read_varint(data, at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                value, at = data[at:at + size], at + size
            else:
                size, at = read_varint(data, at)
                value, at = data[at:at + size], at + size
                inner = KINDS.get(kind, {}).get(number)
                value = Message(inner, value) if inner else value
            self.fields.append([number, wire, value])

    def bytes(self):
        out = bytearray()
        for number, wire, value in self.fields:
            out += varint(number << 3 | wire)
            if wire == 0:
                out += varint(value)
                continue
            value = value.bytes() if isinstance(value, Message) else value
            out += (varint(len(value)) if wire == 2 else b"") + value
        return bytes(out)

    def all(self, kind):
        for _, _, value in self.fields:
            if isinstance(value, Message):
                if value.kind == kind:
                    yield value
                yield from value.all(kind)

    def of(self, *numbers):
        return [field for field in self.fields if field[0] in numbers]


def change_operator(rng, model):
    node = rng.choice(list(model.all("node")))
    for field in node.of(4):
        forms = [form for form in OPERATORS if field[2] in form]
        if forms:
            field[2] = rng.choice(forms[0])


def change_attribute(rng, model):
    attributes = list(model.all("attribute"))
    if not attributes:
        return
    attribute = rng.choice(attributes)
    for field in attribute.of(3, 8):
        if field[1] == 0 and rng.random() < 0.6:
            field[2] = rng.choice((signed(field[2]) + rng.choice((-1, 1)), rng.choice(NUMBERS)))
        elif field[1] == 2 and field[2]:
            numbers, at = [], 0
            while at < len(field[2]):
                number, at = read_varint(field[2], at)
                numbers.append(signed(number))
            numbers[rng.randrange(len(numbers))] = rng.choice(NUMBERS)
            field[2] = b"".join(varint(number) for number in numbers)
    for field in attribute.of(2, 7):
        if field[1] == 5 and rng.random() < 0.6:
            field[2] = struct.pack("<f", rng.choice(FLOATS))


def drop_attribute(rng, model):
    nodes = [node for node in model.all("node") if node.of(5)]
    if nodes:
        node = rng.choice(nodes)
        node.fields.remove(rng.choice(node.of(5)))


def change_input(rng, model):
    nodes = [node for node in model.all("node") if node.of(1)]
    if not nodes:
        return
    node = rng.choice(nodes)
    inputs, names = node.of(1), [field[2] for other in nodes for field in other.of(1)]
    field = rng.choice(inputs)
    kind = rng.randrange(4)
    if kind == 0:
        other = rng.choice(inputs)
        field[2], other[2] = other[2], field[2]
    elif kind == 1:
        field[2] = rng.choice(names)
    elif kind == 2:
        node.fields.remove(field)
    else:
        field[2] = b""


def change_size(rng, model):
    """One size becomes another one, in all types and in integers of initializers that may be sizes."""
    dims = [field for dim in model.all("dim") for field in dim.of(1)]
    if not dims:
        return
    old, new = rng.choice(dims)[2], rng.choice(SIZES)
    for field in dims:
        if field[2] == old:
            field[2] = new
    for tensor in model.all("tensor"):
        for field in tensor.of(9) if [2, 0, 7] in tensor.fields else []:
            field[2] = b"".join(struct.pack("<q", new) if field[2][at:at + 8] == struct.pack("<q", old) else field[2][at:at + 8]
                                for at in range(0, len(field[2]), 8))


def change_type(rng, model):
    fields = [field for type_ in model.all("tensor_type") for field in type_.of(1)]
    if not fields:
        return
    old, new = rng.choice(fields)[2], rng.choice(TYPES)
    everywhere = rng.random() < 0.8
    for field in fields if everywhere else [rng.choice(fields)]:
        if field[2] == old:
            field[2] = new
    if everywhere:
        for attribute in model.all("attribute"):
            if attribute.of(1) and attribute.of(1)[0][2] == b"to":
                for field in attribute.of(3):
                    field[2] = new if field[2] == old else field[2]


def change_data(rng, model):
    tensors = [field for tensor in model.all("tensor") for field in tensor.of(9) if field[2]]
    if tensors:
        field = rng.choice(tensors)
        at = rng.randrange(len(field[2]))
        field[2] = field[2][:at] + bytes([rng.choice((0, 1, 2, 127, 255))]) + field[2][at + 1:]


def change_opset(rng, model):
    for opset in model.all("opset"):
        for field in opset.of(2):
            field[2] = max(1, field[2] + rng.choice((-8, -4, -1, 1)))


CHANGES = (change_operator, change_operator, change_attribute, change_attribute, drop_attribute, change_input, change_size,
           change_size, change_type, change_data, change_opset)


def mutant(rng, data):
    model = Message("model", data)
    if not list(model.all("node")):
        return data
    for _ in range(rng.choice((1, 1, 2, 3))):
        rng.choice(CHANGES)(rng, model)
    return model.bytes()
