# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded changes of ONNX files, on the wire format: an operator of the same form, an attribute, an input, a name, a size or
an element type everywhere at once, initializers with them, nodes left out, repeated, put into a branch or a loop, the
opset, so that many mutants are valid."""
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
    (b"GlobalMaxPool", b"GlobalAveragePool", b"GlobalLpPool"),
    (b"Squeeze", b"Unsqueeze", b"Reshape", b"Expand", b"Tile"),
    (b"ScatterElements", b"ScatterND"),
    (b"BitwiseAnd", b"BitwiseOr", b"BitwiseXor", b"BitShift"),
    (b"RNN", b"GRU", b"LSTM"),
    (b"InstanceNormalization", b"LayerNormalization", b"GroupNormalization", b"RMSNormalization"),
    (b"QuantizeLinear", b"DequantizeLinear"),
    (b"Elu", b"Selu", b"Celu", b"LeakyRelu", b"HardSigmoid", b"HardSwish", b"Softsign", b"Gelu", b"Mish", b"ThresholdedRelu"),
)
# Words of string attributes that mean one kind of thing.
WORDS = (
    (b"NOTSET", b"VALID", b"SAME_UPPER", b"SAME_LOWER"),
    (b"constant", b"reflect", b"edge", b"wrap"),
    (b"nearest", b"linear", b"cubic", b"bilinear", b"bicubic"),
    (b"half_pixel", b"pytorch_half_pixel", b"align_corners", b"asymmetric", b"tf_crop_and_resize", b"half_pixel_symmetric",
     b"output_half_pixel"),
    (b"round_prefer_floor", b"round_prefer_ceil", b"floor", b"ceil"),
    (b"not_larger", b"not_smaller", b"stretch"),
    (b"none", b"add", b"mul", b"max", b"min"),
    (b"mean", b"sum", b"none"),
    (b"DCR", b"CRD"),
    (b"LEFT", b"RIGHT"),
    (b"avg", b"max"),
    (b"zeros", b"border", b"reflection"),
    (b"forward", b"reverse", b"bidirectional"),
    (b"Tanh", b"Sigmoid", b"Relu", b"Affine", b"Softsign"),
    (b"tanh", b"none"),
)
NUMBERS = (-2, -1, 0, 1, 2, 3, 4, 7)
FLOATS = (0.0, -1.0, 1.0e38, float("nan"), float("inf"), 1.0e-40, 0.5)
# FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT32, INT64, INT8, UINT8, BOOL
TYPES = (1, 11, 10, 16, 6, 7, 3, 2, 9)
# How elements of these lie in raw data.
LAYOUTS = {1: "f", 11: "d", 10: "e", 6: "i", 7: "q", 3: "b", 2: "B", 9: "?"}
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

    def first(self, number, default=None):
        return next((field[2] for field in self.fields if field[0] == number), default)

    def copy(self):
        return Message(self.kind, self.bytes())


def message(kind, *fields):
    """A message of (number, value) fields: wire types follow from the values."""
    result = Message(kind, b"")
    result.fields = [[number, 0 if isinstance(value, int) else 2, value] for number, value in fields]
    return result


def numbers_of(field):
    """Integers of a field, which may be packed."""
    if field[1] == 0:
        return [signed(field[2])]
    numbers, at = [], 0
    while at < len(field[2]):
        number, at = read_varint(field[2], at)
        numbers.append(signed(number))
    return numbers


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
            numbers = numbers_of(field)
            numbers[rng.randrange(len(numbers))] = rng.choice(NUMBERS)
            field[2] = b"".join(varint(number) for number in numbers)
    for field in attribute.of(2, 7):
        if field[1] == 5 and rng.random() < 0.6:
            field[2] = struct.pack("<f", rng.choice(FLOATS))
    for field in attribute.of(4, 9):
        words = [words for words in WORDS if field[2] in words]
        if words:
            field[2] = rng.choice(rng.choice(words))


def add_attribute(rng, model):
    """A node gets an attribute of another node, which may know it or not, or one of its own a second time."""
    attributes = list(model.all("attribute"))
    nodes = list(model.all("node"))
    if attributes:
        rng.choice(nodes).fields.append([5, 2, rng.choice(attributes).copy()])


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
    inputs, names = node.of(1), [field[2] for other in nodes for field in other.of(1, 2)]
    field = rng.choice(inputs)
    kind = rng.randrange(6)
    if kind < 2:
        other = rng.choice(inputs)
        field[2], other[2] = other[2], field[2]
    elif kind == 2:
        field[2] = rng.choice(names)
    elif kind == 3:
        node.fields.remove(field)
    elif kind == 4:
        node.fields.append([1, 2, rng.choice(names)])
    else:
        field[2] = b""


def change_name(rng, model):
    """A result, an input or an initializer is called as another one, or not at all."""
    fields = [field for node in model.all("node") for field in node.of(2)]
    fields += [field for value in model.all("value") for field in value.of(1)]
    fields += [field for tensor in model.all("tensor") for field in tensor.of(8)]
    if fields:
        rng.choice(fields)[2] = rng.choice((b"", rng.choice(fields)[2], rng.choice(fields)[2]))


def resize(tensor, old, new):
    """Dimensions of a tensor become others, and its values as many as these hold."""
    dims = [number for field in tensor.of(1) for number in numbers_of(field)]
    if signed(old) not in dims or not tensor.of(9):
        return
    count = 1
    for size in dims:
        count *= size
    dims, wanted = [new if size == signed(old) else size for size in dims], 1
    for size in dims:
        wanted *= size
    for field in tensor.of(9):
        size = len(field[2]) // max(count, 1)
        field[2] = (field[2] * (wanted // max(count, 1) + 1) or bytes(8 * wanted))[:size * wanted]
    tensor.fields = [[1, 0, size] for size in dims] + [field for field in tensor.fields if field[0] != 1]


def change_size(rng, model):
    """One size becomes another one, in all types, in initializers and in integers of these that may be sizes."""
    dims = [field for dim in model.all("dim") for field in dim.of(1)]
    if not dims:
        return
    old, new = rng.choice(dims)[2], rng.choice(SIZES)
    for field in dims:
        if field[2] == old:
            field[2] = new
    for tensor in model.all("tensor"):
        resize(tensor, old, new)
        for field in tensor.of(9) if [2, 0, 7] in tensor.fields else []:
            field[2] = b"".join(struct.pack("<q", new) if field[2][at:at + 8] == struct.pack("<q", old) else field[2][at:at + 8]
                                for at in range(0, len(field[2]), 8))


def change_dims(rng, model):
    """Dimensions of one value or initializer alone: one more, one less, another or an odd size, or none known."""
    shape = rng.choice(list(model.all("shape")) + list(model.all("tensor")) or [None])
    if not shape:
        return
    number = 1
    present, kind = shape.of(number), rng.randrange(4)
    size = rng.choice(SIZES + (-1, -5, 1 << 40, 1 << 62))
    entry = [number, 2, message("dim", (1, size))] if shape.kind == "shape" else [number, 0, size]
    if kind == 0 or not present:
        shape.fields.insert(0, entry)
    elif kind == 1:
        shape.fields.remove(rng.choice(present))
    elif kind == 2:
        shape.fields[shape.fields.index(rng.choice(present))] = entry
    elif shape.kind == "shape":
        shape.fields[shape.fields.index(rng.choice(present))] = [number, 2, message("dim", (2, b"n"))]


def convert(tensor, new):
    """An initializer's values in another element type, where Python knows both."""
    old = tensor.first(2)
    if old not in LAYOUTS or new not in LAYOUTS or not tensor.of(9):
        return
    raw = tensor.of(9)[0]
    count = len(raw[2]) // struct.calcsize(LAYOUTS[old])
    values = struct.unpack("<%d%s" % (count, LAYOUTS[old]), raw[2][:count * struct.calcsize(LAYOUTS[old])])
    try:
        if LAYOUTS[new] in "fde":
            raw[2] = struct.pack("<%d%s" % (count, LAYOUTS[new]), *values)
        else:
            raw[2] = struct.pack("<%d%s" % (count, LAYOUTS[new]), *(int(value) for value in values))
    except (OverflowError, ValueError, struct.error):
        return
    tensor.of(2)[0][2] = new


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
        for tensor in model.all("tensor"):
            if tensor.first(2) == old:
                convert(tensor, new)
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


def readers(graph, old, new):
    """Nodes and results that read a value read another one."""
    for node in graph.all("node"):
        for field in node.of(1):
            field[2] = new if field[2] == old else field[2]
    for field in graph.of(12):
        for name in field[2].of(1):
            name[2] = new if name[2] == old else name[2]


def choose_node(rng, model):
    """A graph, and a node of it that reads and gives something."""
    pairs = [(graph, field) for graph in model.all("graph") for field in graph.of(1) if field[2].of(1) and field[2].of(2)]
    return rng.choice(pairs) if pairs else (None, None)


def leave_out(rng, model):
    graph, field = choose_node(rng, model)
    if not graph:
        return
    graph.fields.remove(field)
    old, new = field[2].first(2), rng.choice(field[2].of(1))[2]
    readers(graph, old, new)


def repeat(rng, model):
    """A node is done again with what it gives."""
    graph, field = choose_node(rng, model)
    if not graph:
        return
    first = field[2].copy()
    once = field[2].first(2) + b"_once"
    first.of(2)[0][2] = once
    field[2].of(1)[0][2] = once
    graph.fields.insert(graph.fields.index(field), [1, 2, first])


def move_node(rng, model):
    """A node stands elsewhere in the list, perhaps before what it reads."""
    graph, field = choose_node(rng, model)
    if graph:
        places = [at for at, other in enumerate(graph.fields) if other[0] == 1]
        graph.fields.remove(field)
        graph.fields.insert(rng.choice(places), field)


def scalar(name, kind, layout, value):
    return message("tensor", (2, kind), (8, name), (9, struct.pack("<" + layout, value)))


def untyped(name):
    return message("value", (1, name), (2, message("type", (1, message("tensor_type", (1, 1))))))


def inner_graph(name, node, inputs, outputs, declared):
    """A graph with one node; values have the types that the model declares for what they are called outside."""
    values = [[11, 2, typed(inner, outer, declared)] for inner, outer in inputs]
    values += [[12, 2, typed(inner, outer, declared)] for inner, outer in outputs]
    graph = message("graph", (2, name))
    graph.fields = [[1, 2, node]] + graph.fields + values
    return graph


def typed(inner, outer, declared):
    value = declared[outer].copy() if outer in declared else untyped(inner)
    for field in value.of(1):
        field[2] = inner
    return value


def declared_types(model):
    return {value.first(1): value for value in model.all("value")}


def into_branch(rng, model):
    graph, field = choose_node(rng, model)
    if not graph or len(field[2].of(2)) != 1:
        return
    node, result, declared = field[2], field[2].first(2), declared_types(model)
    attributes = []
    for name in (b"then_branch", b"else_branch"):
        inner = node.copy()
        inner.of(2)[0][2] = result + b"_" + name
        body = inner_graph(name, inner, [], [(result + b"_" + name, result)], declared)
        attributes.append((5, message("attribute", (1, name), (6, body), (20, 5))))
    field[2] = message("node", (1, result + b"_c"), (2, result), (4, b"If"), *attributes)
    graph.fields.append([5, 2, scalar(result + b"_c", 9, "?", rng.random() < 0.5)])


def into_loop(rng, model):
    """A node is done a few times with what it gives."""
    graph, field = choose_node(rng, model)
    if not graph or len(field[2].of(2)) != 1:
        return
    node, result, declared = field[2], field[2].first(2), declared_types(model)
    value, inner = rng.choice(node.of(1))[2], node.copy()
    trips, going, counter, carried = result + b"_n", result + b"_on", result + b"_i", result + b"_a"
    for name in inner.of(1):
        name[2] = carried if name[2] == value else name[2]
    inner.of(2)[0][2] = result + b"_o"
    boolean = message("value", (2, message("type", (1, message("tensor_type", (1, 9), (2, message("shape")))))))
    number = message("value", (2, message("type", (1, message("tensor_type", (1, 7), (2, message("shape")))))))
    for scalars, name in ((boolean, going), (number, counter)):
        scalars.fields.insert(0, [1, 2, name])
        declared[name] = scalars
    passes = message("node", (1, going), (2, going + b"_o"), (4, b"Identity"))
    body = inner_graph(result + b"_body", inner, [(counter, counter), (going, going), (carried, value)],
                       [(going + b"_o", going), (result + b"_o", result)], declared)
    body.fields.insert(0, [1, 2, passes])
    loop = message("attribute", (1, b"body"), (6, body), (20, 5))
    field[2] = message("node", (1, trips), (1, b""), (1, value), (2, result), (4, b"Loop"), (5, loop))
    graph.fields.append([5, 2, scalar(trips, 7, "q", rng.choice((0, 1, 3)))])


def change_count(rng, model):
    """A node gives one result less, or one more."""
    node = rng.choice(list(model.all("node")))
    if rng.random() < 0.5 and node.of(2):
        node.fields.remove(node.of(2)[-1])
    else:
        node.fields.append([2, 2, b"more"])


def change_opset(rng, model):
    for opset in model.all("opset"):
        for field in opset.of(2):
            field[2] = max(1, field[2] + rng.choice((-8, -4, -1, 1)))


# What is mostly valid comes more often than what rarely is.
CHANGES = (change_operator, change_attribute, change_size, change_type, change_data, leave_out, repeat, into_branch, into_loop) * 3 + (
    change_input, drop_attribute, add_attribute, change_name, change_dims, move_node, change_count, change_opset)


def mutant(rng, data):
    model = Message("model", data)
    if not list(model.all("node")):
        return data
    for _ in range(rng.choice((1, 1, 2, 3))):
        # The last node may have been left out.
        if list(model.all("node")):
            rng.choice(CHANGES)(rng, model)
    return model.bytes()
