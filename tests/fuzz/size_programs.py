# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded ONNX programs whose dimensions are open, and sizes of a run for them.

Each program fits one set of sizes, from which the generator knows the shape of each value. Runs take these sizes, others
that agree, dimensions of 1 that broadcast, and sizes, shapes, axes and counts from data that contradict.
"""
import collections
import math

import onnx_writer
from onnx_writer import BOOL, FLOAT, INT64

OPSET = 23
SIZES = (2, 3, 4, 4, 5, 6)
OTHERS = (1, 2, 3, 4, 5, 6, 7, 8, 9)
LARGEST = 3000

Value = collections.namedtuple("Value", "name kind shape")
# `values`: those of a list of sizes or axes; `bounds`: of indices.
Input = collections.namedtuple("Input", "name kind shape dims values bounds")


class Unfit(Exception):
    """There is no value that the operator could take."""


def broadcast(*shapes):
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded))


class Program:
    def __init__(self, rng):
        self.rng, self.count, self.inputs, self.values = rng, 0, [], []
        self.used, self.ops, self.has_regions, self.asks_data = set(), [], False, False
        self.main = self.graph = onnx_writer.Graph("main")
        self.naming = rng.choice(("own", "shared", "none", "mixed", "mixed"))
        for _ in range(rng.randint(1, 2)):
            self.input(tuple(rng.choice(SIZES) for _ in range(rng.choice((1, 2, 2, 3, 3, 4)))))
        wanted = rng.randint(3, 12)
        for _ in range(200):
            if len(self.ops) >= wanted:
                break
            op = rng.choice(OPERATORS)
            try:
                op(self)
            except Unfit:
                continue
            self.ops.append(op.__name__)
        self.close()

    # Parts of programs.

    def fresh(self, letter="v"):
        self.count += 1
        return "%s%d" % (letter, self.count)

    def dim(self, size):
        naming = self.naming if self.naming != "mixed" else self.rng.choice(("own", "shared", "none", "known"))
        return {"own": self.fresh("d"), "shared": "n%d" % size, "none": None, "known": size}[naming]

    def input(self, shape, kind=FLOAT, values=None, bounds=None, known=0):
        """`values`: the input is a list of numbers whose length is known; `known`: so many last dimensions are."""
        shape = tuple(shape)
        if math.prod(shape) > LARGEST:
            raise Unfit
        known = len(shape) - (len(shape) if values is not None else known)
        dims = tuple(map(self.dim, shape[:known])) + shape[known:]
        value = Value(self.fresh("x"), kind, shape)
        self.inputs.append(Input(value.name, kind, shape, dims, values, bounds))
        self.main.inputs.append(onnx_writer.value_info(value.name, kind, dims))
        if kind == FLOAT and values is None:
            self.values.append(value)
        return value

    def emit(self, op, inputs, shape, kind=FLOAT, **attributes):
        """One result of a known shape; several where `shape` is a list."""
        several = isinstance(shape, list) and not any(isinstance(one, int) for one in shape) and bool(shape)
        shapes = shape if several else [shape]
        if any(math.prod(one) > LARGEST for one in shapes):
            raise Unfit
        results = [Value(self.fresh(), kind, tuple(one)) for one in shapes]
        self.used.update(value.name for value in inputs if value)
        self.graph.node(op, [value.name if value else "" for value in inputs], [value.name for value in results], attributes)
        if kind == FLOAT:
            self.values.extend(results)
        return results if several else results[0]

    def constant(self, values, kind=INT64, shape=None):
        value = Value(self.fresh("c"), kind, (len(values),) if shape is None else shape)
        self.main.constants.append(onnx_writer.tensor(value.name, kind, value.shape, values))
        return value

    def numbers(self, values, data=0.4, shape=None):
        """Integers that are known, or come with the data."""
        if self.rng.random() < data:
            self.asks_data = True
            return self.input((len(values),) if shape is None else shape, INT64, list(values))
        return self.constant(values, shape=shape)

    def size_of(self, value, axis):
        return self.emit("Shape", [value], (1,), INT64, start=axis, end=axis + 1)

    def one_size(self, size):
        """A list of this one size: of a value, computed, known or from data."""
        found = [(value, axis) for value in self.values for axis, own in enumerate(value.shape) if own == size]
        if found and self.rng.random() < 0.6:
            return self.size_of(*self.rng.choice(found))
        half = [(value, axis) for value in self.values for axis, own in enumerate(value.shape) if own * 2 == size]
        if half and self.rng.random() < 0.6:
            return self.emit("Mul", [self.size_of(*self.rng.choice(half)), self.constant([2])], (1,), INT64)
        return self.numbers([size], 0.3)

    def sizes(self, shape):
        if self.rng.random() < 0.3:
            return self.numbers(shape)
        parts = [self.one_size(size) for size in shape]
        return parts[0] if len(parts) == 1 else self.emit("Concat", parts, (len(parts),), INT64, axis=0)

    # Choices.

    def any(self, low=1, high=5, when=lambda value: True):
        fitting = [value for value in self.values if low <= len(value.shape) <= high and when(value)]
        if not fitting:
            raise Unfit
        return self.rng.choice(fitting[-6:])

    def axis(self, value):
        return self.rng.randrange(len(value.shape))

    def like(self, shape, kind=FLOAT):
        """A value of this shape: one that is there, or an input."""
        found = [value for value in self.values if value.shape == tuple(shape) and value.kind == kind]
        return self.rng.choice(found) if found and self.rng.random() < 0.5 else self.input(shape, kind)

    def partner(self, shape):
        """A value that broadcasts with the shape."""
        found = [value for value in self.values if all(
            own == other or 1 in (own, other) for own, other in zip(reversed(value.shape), reversed(shape)))]
        if found and self.rng.random() < 0.5:
            return self.rng.choice(found)
        cut = self.rng.randint(0, len(shape))
        return self.like(tuple(size if self.rng.random() < 0.7 else 1 for size in shape[cut:]))

    def close(self):
        left = [value for value in self.values if value.name not in self.used]
        left = [value for value in left if value.name[0] == "v"][-3:] or self.values[-1:]
        self.results = left
        for value in left:
            self.main.outputs.append(onnx_writer.value_info(value.name, value.kind, [None] * len(value.shape)))

    def bytes(self):
        return onnx_writer.model(self.main, OPSET)

    # Sizes of runs.

    def run(self, kind):
        """For each input its shape and its numbers, or bounds, or None."""
        rng, shapes, values = self.rng, [list(one.shape) for one in self.inputs], [one.values for one in self.inputs]
        open_dims = [(i, axis) for i, one in enumerate(self.inputs) for axis, dim in enumerate(one.dims) if not isinstance(dim, int)]

        def change(chosen, size):
            names = {self.inputs[i].dims[axis] for i, axis in chosen} - {None}
            apart = rng.random() < 0.1  # names that contradict
            for i, axis in open_dims:
                if (i, axis) in chosen or (not apart and self.inputs[i].dims[axis] in names):
                    shapes[i][axis] = size
        if kind == "alike" and open_dims:
            i, axis = rng.choice(open_dims)
            old, new = shapes[i][axis], rng.choice(OTHERS)
            change([at for at in open_dims if self.inputs[at[0]].shape[at[1]] == old], new)
            values = [[new if number == old else number for number in one] if one and rng.random() < 0.5 else one for one in values]
        elif kind == "ones" and open_dims:
            for at in rng.sample(open_dims, max(1, len(open_dims) // 4)):
                change([at], 1)
        elif kind == "contradict" and open_dims:
            change([rng.choice(open_dims)], rng.choice(OTHERS))
        elif kind == "empty" and open_dims:
            i, axis = rng.choice(open_dims)
            chosen = [at for at in open_dims if self.inputs[at[0]].shape[at[1]] == shapes[i][axis]]
            change(chosen if rng.random() < 0.6 else [(i, axis)], 0)
        elif kind == "data":
            lists = [i for i, one in enumerate(values) if one]
            for i in lists and rng.sample(lists, 1):
                values[i] = list(values[i])
                at = rng.randrange(len(values[i]))
                values[i][at] = rng.choice((values[i][at] - 1, values[i][at] + 1, 0, 1, -1, -2, 100))
        return [(tuple(shape), value, one) for shape, value, one in zip(shapes, values, self.inputs)]


RUNS = ("as made", "alike", "alike", "ones", "contradict", "empty", "data")


# Operators: each takes values of the program and appends what it gives.

def unary(p):
    x = p.any(0)
    p.emit(p.rng.choice(("Tanh", "Relu", "Neg", "Abs", "Sigmoid", "Floor", "Softsign")), [x], x.shape)


def binary(p):
    x = p.any(0)
    y = p.partner(x.shape)
    pair = [x, y] if p.rng.random() < 0.5 else [y, x]
    p.emit(p.rng.choice(("Add", "Sub", "Mul", "Max", "Min", "Sum")), pair, broadcast(x.shape, y.shape))


def compared(p, x, y):
    return p.emit("Less", [x, y], broadcast(x.shape, y.shape), BOOL)


def where(p):
    x = p.any(0)
    y = p.partner(x.shape)
    z = p.partner(broadcast(x.shape, y.shape))
    shape = broadcast(x.shape, y.shape, z.shape)
    p.emit("Where", [compared(p, x, y), y, z], shape)


def matmul(p):
    x = p.any(1, 4)
    inner, columns = x.shape[-1], p.rng.choice(SIZES)
    batch = tuple(size if p.rng.random() < 0.6 else 1 for size in x.shape[:-2])[p.rng.randint(0, max(0, len(x.shape) - 2)):]
    if p.rng.random() < 0.2:
        p.emit("MatMul", [x, p.like((inner,))], x.shape[:-1])
    elif len(x.shape) == 1:
        p.emit("MatMul", [x, p.like((inner, columns))], (columns,))
    else:
        p.emit("MatMul", [x, p.like(batch + (inner, columns))], broadcast(x.shape[:-2], batch) + (x.shape[-2], columns))


def gemm(p):
    x = p.any(2, 2)
    left, right, columns = p.rng.randint(0, 1), p.rng.randint(0, 1), p.rng.choice(SIZES)
    rows, inner = (x.shape[1], x.shape[0]) if left else x.shape
    y = p.like((columns, inner) if right else (inner, columns))
    c = p.like(p.rng.choice(((columns,), (1, columns), (rows, 1), (rows, columns), (1,), ())))
    p.emit("Gemm", [x, y, c] if p.rng.random() < 0.8 else [x, y], (rows, columns), transA=left, transB=right, alpha=0.5)


def einsum(p):
    x = p.any(2, 3)
    columns = p.rng.choice(SIZES)
    if len(x.shape) == 2:
        rows, inner = x.shape
        equation, shape, result = p.rng.choice((
            ("ij,jk->ik", (inner, columns), (rows, columns)), ("ij,ij->i", (rows, inner), (rows,)),
            ("ij,j->ij", (inner,), (rows, inner)), ("ij,k->kji", (columns,), (columns, inner, rows)),
            ("...j,...j->...", (1, inner), (rows,))))
        p.emit("Einsum", [x, p.like(shape)], result, equation=equation)
    else:
        batch, rows, inner = x.shape
        equation, shape, result = p.rng.choice((
            ("...ij,...jk->...ik", (batch, inner, columns), (batch, rows, columns)),
            ("bij,bkj->bik", (batch, columns, inner), (batch, rows, columns)),
            ("...ij,...jk->...ik", (1, inner, columns), (batch, rows, columns)), ("bij,bj->bi", (batch, inner), (batch, rows))))
        p.emit("Einsum", [x, p.like(shape)], result, equation=equation)


def expand(p):
    x = p.any(1, 4)
    if p.rng.random() < 0.5 and len(x.shape) < 4:
        axis = p.rng.randint(0, len(x.shape))
        x = p.emit("Unsqueeze", [x, p.constant([axis])], x.shape[:axis] + (1,) + x.shape[axis:])
    shape = tuple(p.rng.choice(SIZES) if size == 1 else size for size in x.shape)
    given = tuple(size if p.rng.random() < 0.7 else 1 for size in shape)
    p.emit("Expand", [x, p.sizes(given)], broadcast(x.shape, given))


def concat(p):
    x = p.any(1, 4)
    axis = p.axis(x)
    other = list(x.shape)
    other[axis] = p.rng.choice(SIZES)
    y = p.like(x.shape if p.rng.random() < 0.3 else other)
    shape = list(x.shape)
    shape[axis] += y.shape[axis]
    p.emit("Concat", [x, y], shape, axis=axis - (len(shape) if p.rng.random() < 0.3 else 0))


def split(p):
    x = p.any(1, 4, lambda value: max(value.shape) > 1)
    axis = p.rng.choice([d for d, size in enumerate(x.shape) if size > 1])
    first = p.rng.randint(1, x.shape[axis] - 1)
    parts = [first, x.shape[axis] - first]
    inputs, attributes = [x, p.sizes(parts)], {}
    if p.rng.random() < 0.3:
        parts = [-(-x.shape[axis] // 2), x.shape[axis] // 2]
        inputs, attributes = [x], {"num_outputs": 2}
    p.emit("Split", inputs, [x.shape[:axis] + (part,) + x.shape[axis + 1:] for part in parts], axis=axis, **attributes)


def slice_(p):
    x = p.any(1, 4)
    axis, size = p.axis(x), None
    size = x.shape[axis]
    start, end, step = p.rng.choice(((0, size - 1, 1), (1, size, 1), (1, 1000, 2), (-1, -1000, -1), (-2, size, 1), (0, -1, 1)))
    taken = len(range(size)[start:end:step])
    shape = x.shape[:axis] + (taken,) + x.shape[axis + 1:]
    end = p.one_size(end) if end > 1 and p.rng.random() < 0.5 else p.numbers([end])
    p.emit("Slice", [x, p.numbers([start]), end, p.numbers([axis], 0.2), p.constant([step])], shape)


def pad(p):
    x = p.any(1, 3)
    mode = p.rng.choice(("constant", "constant", "edge", "reflect", "wrap"))
    low = [p.rng.randint(0, 1) for _ in x.shape]
    high = [p.rng.randint(0, 1) for _ in x.shape]
    if mode in ("constant", "edge") and p.rng.random() < 0.2:
        low[0] = -1
    shape = [size + before + after for size, before, after in zip(x.shape, low, high)]
    p.emit("Pad", [x, p.numbers(low + high)], shape, mode=mode)


def reduced_axes(p, x):
    axes = sorted(p.rng.sample(range(len(x.shape)), p.rng.randint(1, len(x.shape))))
    keeps = p.rng.randint(0, 1)
    shape = [1 if d in axes else size for d, size in enumerate(x.shape) if keeps or d not in axes]
    signed = [axis - (len(x.shape) if p.rng.random() < 0.2 else 0) for axis in axes]
    return p.numbers(signed, 0.25), shape, keeps


def reduce(p):
    x = p.any(1, 4)
    axes, shape, keeps = reduced_axes(p, x)
    op = p.rng.choice(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp", "ReduceL1"))
    p.emit(op, [x, axes], shape, keepdims=keeps)


def arg_reduce(p):
    x = p.any(1, 4)
    axis = p.axis(x)
    shape = x.shape[:axis] + (1,) + x.shape[axis + 1:]
    if not x.shape[axis] and math.prod(shape):
        raise Unfit
    found = p.emit("ArgMax", [x], shape, INT64, axis=axis, keepdims=1)
    p.emit("Cast", [found], shape, to=FLOAT)


def reshape(p):
    x = p.any(1, 4)
    whole = math.prod(x.shape)
    choice = p.rng.randrange(4)
    if choice == 0:
        shape = [whole]
        given = p.numbers([-1], 0.2)
    elif choice == 1 and len(x.shape) > 1:
        shape = [x.shape[0], whole // max(1, x.shape[0])]
        given = p.numbers([0, -1], 0.2)
    elif choice == 2 and len(x.shape) > 1:
        shape = [x.shape[0] * x.shape[1]] + list(x.shape[2:])
        given = p.sizes(shape)
    else:
        factor = next((size for size in (4, 3, 2) if whole % size == 0), 1)
        shape = [factor, whole // factor]
        given = p.emit("Concat", [p.one_size(factor), p.numbers([-1], 0.2)], (2,), INT64, axis=0)
    p.emit("Reshape", [x, given], shape)


def flatten(p):
    x = p.any(1, 5)
    axis = p.rng.randint(0, len(x.shape))
    p.emit("Flatten", [x], (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])), axis=axis)


def transpose(p):
    x = p.any(2, 4)
    order = list(range(len(x.shape)))
    p.rng.shuffle(order)
    p.emit("Transpose", [x], [x.shape[d] for d in order], perm=order)


def squeeze(p):
    x = p.any(1, 4, lambda value: 1 in value.shape)
    axis = x.shape.index(1)
    p.emit("Squeeze", [x, p.numbers([axis], 0.3)], x.shape[:axis] + x.shape[axis + 1:])


def unsqueeze(p):
    x = p.any(0, 3)
    axis = p.rng.randint(0, len(x.shape))
    p.emit("Unsqueeze", [x, p.numbers([axis], 0.3)], x.shape[:axis] + (1,) + x.shape[axis:])


def indices(p, shape, size, known=0):
    p.asks_data = True
    return p.input(shape, INT64, bounds=p.rng.choice(((0, size), (-size, size), (0, 1), (-1, 0))), known=known)


def gather(p):
    x = p.any(1, 3)
    axis = p.axis(x)
    shape = tuple(p.rng.choice(SIZES) for _ in range(p.rng.randint(0, 2)))
    p.emit("Gather", [x, indices(p, shape, x.shape[axis])], x.shape[:axis] + shape + x.shape[axis + 1:], axis=axis)


def gather_elements(p):
    x = p.any(1, 3)
    axis = p.axis(x)
    shape = x.shape[:axis] + (p.rng.choice(SIZES),) + x.shape[axis + 1:]
    p.emit("GatherElements", [x, indices(p, shape, x.shape[axis])], shape, axis=axis)


def gather_nd(p):
    x = p.any(2, 4)
    depth = p.rng.randint(1, len(x.shape) - 1)
    lead, size = p.rng.choice(SIZES), min(x.shape[:depth])
    p.emit("GatherND", [x, indices(p, (lead, depth), size, 1)], (lead,) + x.shape[depth:])


def scatter_nd(p):
    x = p.any(2, 3)
    places = indices(p, (p.rng.choice(SIZES), 1), min(x.shape[0], 2), 1)
    p.emit("ScatterND", [x, places, p.like((places.shape[0],) + x.shape[1:])], x.shape, reduction="add")


def scatter_elements(p):
    x = p.any(1, 3)
    axis = p.axis(x)
    shape = x.shape[:axis] + (p.rng.choice(SIZES),) + x.shape[axis + 1:]
    places = indices(p, shape, x.shape[axis])
    p.emit("ScatterElements", [x, places, p.like(shape)], x.shape, axis=axis, reduction="add")


def as_image(p, spatial):
    """A value of batch, channels and so many spatial dimensions."""
    found = [value for value in p.values if len(value.shape) == spatial + 2 and min(value.shape[2:]) > 1]
    if found and p.rng.random() < 0.7:
        return p.rng.choice(found)
    return p.input((p.rng.choice((1, 2)), p.rng.choice((2, 4))) + tuple(p.rng.choice((4, 5, 6)) for _ in range(spatial)))


def window(p, spatial, reach):
    """Attributes of a window, and what becomes of a spatial size."""
    strides = [p.rng.choice((1, 1, 2)) for _ in range(spatial)]
    attributes = {"strides": strides}
    mode = p.rng.choice(("pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"))
    pads = [p.rng.randint(0, max(0, size // 2)) for size in reach] * 2
    if mode == "pads":
        attributes["pads"] = pads
    else:
        attributes["auto_pad"] = mode
        pads = [0] * 2 * spatial

    def after(sizes, ceil=0):
        out = []
        for d, size in enumerate(sizes):
            if mode.startswith("SAME"):
                out.append(-(-size // strides[d]))
                continue
            room = size + pads[d] + pads[d + spatial] - reach[d]
            if room < 0:
                raise Unfit
            count = room // strides[d] + 1
            if ceil and room % strides[d] and count * strides[d] < size + pads[d]:
                count += 1
            out.append(count)
        return tuple(out)
    return attributes, after


def conv(p):
    spatial = p.rng.choice((1, 2, 2))
    x = as_image(p, spatial)
    groups = p.rng.choice([g for g in (1, 1, 2, 4) if x.shape[1] % g == 0])
    reach = [p.rng.randint(1, min(3, size)) for size in x.shape[2:]]
    features = groups * p.rng.choice((1, 2, 3))
    kernel = p.like((features, x.shape[1] // groups) + tuple(reach))
    attributes, after = window(p, spatial, reach)
    inputs = [x, kernel] + ([p.like((features,))] if p.rng.random() < 0.5 else [])
    if p.rng.random() < 0.6:
        attributes["kernel_shape"] = reach
    p.emit("Conv", inputs, (x.shape[0], features) + after(x.shape[2:]), group=groups, **attributes)


def conv_transpose(p):
    spatial = p.rng.choice((1, 2))
    x = as_image(p, spatial)
    reach = [p.rng.randint(1, 3) for _ in range(spatial)]
    stride, features = p.rng.choice((1, 2)), p.rng.choice((1, 2, 3))
    kernel = p.like((x.shape[1], features) + tuple(reach))
    shape = tuple((size - 1) * stride + extent for size, extent in zip(x.shape[2:], reach))
    p.emit("ConvTranspose", [x, kernel], (x.shape[0], features) + shape, strides=[stride] * spatial)


def pool(p):
    spatial = p.rng.choice((1, 2, 2))
    x = as_image(p, spatial)
    reach = [p.rng.randint(1, min(3, size)) for size in x.shape[2:]]
    attributes, after = window(p, spatial, reach)
    ceil = p.rng.randint(0, 1) if "pads" in attributes else 0
    op = p.rng.choice(("MaxPool", "AveragePool"))
    if op == "AveragePool":
        attributes["count_include_pad"] = p.rng.randint(0, 1)
    p.emit(op, [x], x.shape[:2] + after(x.shape[2:], ceil), kernel_shape=reach, ceil_mode=ceil, **attributes)


def global_pool(p):
    x = as_image(p, p.rng.choice((1, 2)))
    p.emit(p.rng.choice(("GlobalAveragePool", "GlobalMaxPool")), [x], x.shape[:2] + (1,) * (len(x.shape) - 2))


def resize(p):
    x = as_image(p, p.rng.choice((1, 2)))
    shape = x.shape[:2] + tuple(p.rng.choice((size, size * 2, size + 1, 3)) for size in x.shape[2:])
    mode = p.rng.choice(("nearest", "linear"))
    transform = p.rng.choice(("half_pixel", "asymmetric", "align_corners"))
    if p.rng.random() < 0.5:
        p.emit("Resize", [x, None, None, p.sizes(shape)], shape, mode=mode, coordinate_transformation_mode=transform)
    else:
        factor = p.rng.choice((0.5, 1.0, 2.0))
        shape = x.shape[:2] + tuple(int(size * factor) for size in x.shape[2:])
        if 0 in shape:
            raise Unfit
        scales = p.constant([1.0, 1.0] + [factor] * (len(shape) - 2), FLOAT)
        p.emit("Resize", [x, None, scales], shape, mode=mode, coordinate_transformation_mode=transform)


def top_k(p):
    x = p.any(1, 3)
    axis = p.axis(x)
    count = p.rng.randint(min(1, x.shape[axis]), x.shape[axis])
    k = p.one_size(count) if p.rng.random() < 0.4 else p.numbers([count])
    shape = x.shape[:axis] + (count,) + x.shape[axis + 1:]
    values = Value(p.fresh(), FLOAT, shape)
    p.used.update((x.name, k.name))
    p.graph.node("TopK", [x.name, k.name], [values.name, p.fresh()], {"axis": axis})
    p.values.append(values)


def tile(p):
    x = p.any(1, 3)
    counts = [p.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    p.emit("Tile", [x, p.numbers(counts)], [size * count for size, count in zip(x.shape, counts)])


def attention(p):
    batch, heads, queries, keys, size = 2, p.rng.choice((2, 4)), p.rng.choice((3, 5)), p.rng.choice((3, 4)), p.rng.choice((2, 4))
    groups = p.rng.choice((1, heads))
    inputs = [p.like((batch, heads, queries, size)), p.like((batch, groups, keys, size)), p.like((batch, groups, keys, size + 1))]
    if p.rng.random() < 0.6:
        inputs.append(p.like(p.rng.choice(((queries, keys), (1, 1, queries, keys), (batch, 1, 1, keys), (batch, heads, queries, keys)))))
    p.emit("Attention", inputs, (batch, heads, queries, size + 1), is_causal=p.rng.randint(0, 1))


def rotary(p):
    x = p.input((2, p.rng.choice((2, 3)), p.rng.choice((3, 5)), 4))
    table = (2, x.shape[2], 2)
    p.emit("RotaryEmbedding", [x, p.like(table), p.like(table)], x.shape, interleaved=p.rng.randint(0, 1))


def layer_norm(p):
    x = p.any(1, 4)
    axis = p.axis(x)
    scale = p.partner(x.shape[axis:]) if p.rng.random() < 0.3 else p.like(x.shape[axis:])
    if len(scale.shape) > len(x.shape) - axis or broadcast(scale.shape, x.shape[axis:]) != x.shape[axis:]:
        raise Unfit
    if p.rng.random() < 0.5:
        p.emit("RMSNormalization", [x, scale], x.shape, axis=axis)
    else:
        p.emit("LayerNormalization", [x, scale, p.like(x.shape[axis:])], x.shape, axis=axis)


def channel_norm(p):
    x = as_image(p, p.rng.choice((1, 2)))
    channels = (x.shape[1],)
    if p.rng.random() < 0.5:
        p.emit("InstanceNormalization", [x, p.like(channels), p.like(channels)], x.shape)
    else:
        groups = p.rng.choice([g for g in (1, 2) if x.shape[1] % g == 0])
        p.emit("GroupNormalization", [x, p.like(channels), p.like(channels)], x.shape, num_groups=groups)


def batch_norm(p):
    x = p.any(2, 4)
    channels = (x.shape[1],)
    spread = p.emit("Abs", [p.like(channels)], channels)
    p.emit("BatchNormalization", [x, p.like(channels), p.like(channels), p.like(channels), spread], x.shape)


def softmax(p):
    x = p.any(1, 4)
    p.emit(p.rng.choice(("Softmax", "LogSoftmax")), [x], x.shape, axis=p.axis(x))


def cumulative(p):
    x = p.any(1, 3)
    axis = p.numbers([p.axis(x)], 0.4, ())
    p.emit("CumSum", [x, axis], x.shape, reverse=p.rng.randint(0, 1), exclusive=p.rng.randint(0, 1))


def triangle(p):
    x = p.any(2, 4)
    p.emit("Trilu", [x, p.numbers([p.rng.randint(-1, 2)], 0.4, ())], x.shape, upper=p.rng.randint(0, 1))


def blocks(p):
    if p.rng.random() < 0.5:
        x = p.input((p.rng.choice((1, 2)), p.rng.choice((4, 8)), p.rng.choice(SIZES), p.rng.choice(SIZES)))
        p.emit("DepthToSpace", [x], (x.shape[0], x.shape[1] // 4, x.shape[2] * 2, x.shape[3] * 2), blocksize=2,
               mode=p.rng.choice(("DCR", "CRD")))
    else:
        x = p.input((p.rng.choice((1, 2)), p.rng.choice((1, 3)), p.rng.choice((2, 4, 6)), p.rng.choice((2, 4, 6))))
        p.emit("SpaceToDepth", [x], (x.shape[0], x.shape[1] * 4, x.shape[2] // 2, x.shape[3] // 2), blocksize=2)


def one_hot(p):
    depth = p.rng.choice(SIZES)
    places = indices(p, (p.rng.choice(SIZES),), depth)
    axis = p.rng.choice((-1, 0))
    shape = (places.shape[0], depth) if axis else (depth, places.shape[0])
    p.emit("OneHot", [places, p.one_size(depth), p.constant([0.0, 1.0], FLOAT)], shape, axis=axis)


def filled(p):
    shape = tuple(p.rng.choice(SIZES) for _ in range(p.rng.randint(1, 3)))
    p.emit("ConstantOfShape", [p.sizes(shape)], shape, value=onnx_writer.tensor("", FLOAT, (1,), [0.5]))


def counted(p):
    x = p.any(1, 4)
    axis = p.axis(x)
    size = p.emit("Squeeze", [p.size_of(x, axis)], (), INT64)
    zero, one = p.constant([0], shape=()), p.constant([1], shape=())
    numbers = p.emit("Range", [zero, size, one], (x.shape[axis],), INT64)
    p.emit("Cast", [numbers], numbers.shape, to=FLOAT)


def chosen(p):
    """Rows that data chooses: their number is the run's."""
    x = p.any(1, 3)
    sums = x if len(x.shape) == 1 else p.emit("ReduceSum", [x, p.constant(list(range(1, len(x.shape))))], x.shape[:1], keepdims=0)
    mask = p.emit("Less", [p.constant([-1.0e6], FLOAT), sums], x.shape[:1], BOOL)  # all of them, but for NaN
    p.asks_data = True
    if p.rng.random() < 0.5:
        p.emit("Compress", [x, mask], x.shape, axis=0)
    else:
        places = p.emit("NonZero", [mask], (1, x.shape[0]), INT64)
        p.emit("Gather", [x, p.emit("Squeeze", [places, p.constant([0])], x.shape[:1], INT64)], x.shape)


def in_region(p, body):
    """What `body` emits becomes a graph of its own with its last value as result."""
    outer, values, used = p.graph, list(p.values), set(p.used)
    p.graph, p.has_regions = onnx_writer.Graph(p.fresh("g")), True
    try:
        result = body()
        inner = p.graph
    finally:
        p.graph = outer
        p.values = values + [value for value in p.values if value.name[0] == "x" and value not in values]
    inner.outputs.append(onnx_writer.value_info(result.name, result.kind, [None] * len(result.shape)))
    p.used |= used
    return inner, result


def branches(p):
    x = p.any(1, 3)
    y = p.partner(x.shape)
    axis = p.axis(x)
    left = p.emit("Squeeze", [p.size_of(x, axis)], (), INT64)
    asks = p.emit("Less", [left, p.constant([p.rng.choice((3, 4, 100))], shape=())], (), BOOL)
    sum_, result = in_region(p, lambda: p.emit("Add", [x, y], broadcast(x.shape, y.shape)))
    if len(result.shape) != len(x.shape):
        raise Unfit
    same, _ = in_region(p, lambda: p.emit("Tanh", [x], x.shape))
    taken = x.shape[axis] < 100 and result.shape == x.shape
    if not taken:
        raise Unfit
    p.emit("If", [asks], x.shape, then_branch=sum_, else_branch=same)


def loop(p):
    x = p.any(1, 3)
    y = p.partner(x.shape)
    if broadcast(x.shape, y.shape) != x.shape:
        raise Unfit
    grows = p.rng.random() < 0.5
    trips = p.rng.randint(0, 3)
    carried, at, going = Value(p.fresh(), FLOAT, x.shape), p.fresh(), p.fresh()

    def body():
        p.graph.inputs.extend((onnx_writer.value_info(at, INT64, ()), onnx_writer.value_info(going, BOOL, ()),
                               onnx_writer.value_info(carried.name, FLOAT, [None] * len(x.shape))))
        same = Value(p.fresh(), BOOL, ())
        p.graph.node("Identity", [going], [same.name], {})
        p.graph.outputs.append(onnx_writer.value_info(same.name, BOOL, ()))
        if grows:
            return p.emit("Concat", [carried, y if y.shape == x.shape else x], x.shape, axis=0)
        return p.emit("Add", [carried, y], x.shape)
    inner, _ = in_region(p, body)
    shape = ((trips + 1) * x.shape[0],) + x.shape[1:] if grows else x.shape
    p.emit("Loop", [p.numbers([trips], 0.6, ()), None, x], shape, body=inner)


def scan(p):
    x = p.any(2, 3)
    state = p.like(x.shape[1:])
    old, row = Value(p.fresh(), FLOAT, state.shape), Value(p.fresh(), FLOAT, x.shape[1:])

    def body():
        for value in (old, row):
            p.graph.inputs.append(onnx_writer.value_info(value.name, FLOAT, [None] * len(value.shape)))
        new = p.emit("Add", [old, row], row.shape)
        p.graph.outputs.append(onnx_writer.value_info(new.name, FLOAT, [None] * len(new.shape)))
        return p.emit("Tanh", [new], row.shape)
    inner, _ = in_region(p, body)
    p.emit("Scan", [state, x], [state.shape, x.shape], body=inner, num_scan_inputs=1)


def recurrent(p):
    kind, gates = p.rng.choice((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    found = [value for value in p.values if len(value.shape) == 3]
    x = p.rng.choice(found) if found and p.rng.random() < 0.6 else p.input((3, 2, 4))
    hidden = p.rng.choice((2, 3))
    weights = [p.like((1, gates * hidden, x.shape[2])), p.like((1, gates * hidden, hidden))]
    if p.rng.random() < 0.5:
        weights.append(p.like((1, 2 * gates * hidden)))
    p.emit(kind, [x] + weights, (x.shape[0], 1, x.shape[1], hidden), hidden_size=hidden)


def quantized(p):
    x = p.any(1, 3)
    axis = p.axis(x)
    scale = p.emit("Add", [p.emit("Abs", [p.like((x.shape[axis],))], (x.shape[axis],)), p.constant([1.0], FLOAT)], (x.shape[axis],))
    # Far from where rounding could go either way.
    whole = p.emit("Mul", [p.emit("Floor", [x], x.shape), p.constant([1.0], FLOAT)], x.shape)
    zero = p.emit("Cast", [p.emit("Floor", [scale], scale.shape)], scale.shape, 2, to=2)
    bytes_ = p.emit("QuantizeLinear", [whole, scale, zero], x.shape, 2, axis=axis)
    p.emit("DequantizeLinear", [bytes_, scale, zero], x.shape, axis=axis)


OPERATORS = (
    unary, binary, binary, binary, where, matmul, matmul, gemm, einsum, expand, expand, concat, split, slice_, pad, reduce, reduce,
    arg_reduce, reshape, reshape, flatten, transpose, squeeze, unsqueeze, gather, gather_elements, gather_nd, scatter_nd,
    scatter_elements, conv, conv, conv_transpose, pool, pool, global_pool, resize, top_k, tile, attention, rotary, layer_norm,
    channel_norm, batch_norm, softmax, cumulative, triangle, blocks, one_hot, filled, counted, chosen, branches, loop, scan,
    recurrent, quantized)
