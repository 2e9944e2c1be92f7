# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small GraphIR programs whose fusions are of all kinds, for tests that edit schedules.

Each function takes a random.Random for its sizes and gives the text of a module with one function @main.
"""


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def function(arguments, results, lines, outer=""):
    """One function: `arguments` and `results` are pairs of name and type, or triples with the text of attributes."""
    inputs = ", ".join(f"%{a[0]}: {a[1]}" + (f" {a[2]}" if len(a) > 2 else "") for a in arguments)
    types = ", ".join(r[1] + (f" {r[2]}" if len(r) > 2 else "") for r in results)
    names, kinds = ", ".join("%" + r[0] for r in results), ", ".join(r[1] for r in results)
    body = "".join(f"  {line}\n" for line in lines)
    return f"{outer}func.func @main({inputs}) -> ({types}) {{\n{body}  return {names} : {kinds}\n}}\n"


def unary(op, x, y, t):
    return f"%{y} = graph.{op} %{x} : {t}"


# Elements

def chain(r):
    t = tensor(r.choice([[r.randint(1, 9), r.randint(1, 700)], [r.randint(1, 5000)], [3, r.randint(1, 40), 5]]),
               r.choice(["f32", "f64", "f16"]))
    return function([("a", t), ("b", t)], [("d", t)],
                    [unary(r.choice(["tanh", "exp", "neg", "abs"]), "a", "c", t), f"%d = graph.add %c, %b : {t}"])


def in_place(r):
    """The first value is an operand that the second fusion may overwrite."""
    t = tensor([r.randint(1, 30), r.randint(1, 90)])
    u = tensor(t[7:-1].split("x")[:1])
    return function([("a", t)], [("d", t)],
                    [unary("tanh", "a", "b", t), f"%s = graph.softmax %b [1] : {t}", unary("neg", "s", "c", t),
                     f"%m = graph.reduce max, %c [1] : {t} -> {u}", f"%w = graph.broadcast %m [0] : {u} -> {t}",
                     f"%d = graph.sub %c, %w : {t}"])


def narrowed(r):
    shape = [r.randint(1, 20), r.randint(1, 300)]
    t, u = tensor(shape), tensor(shape, r.choice(["bf16", "f16", "i8", "i64"]))
    return function([("a", t), ("b", t)], [("d", u), ("c", t)],
                    [f"%c = graph.mul %a, %b : {t}", f"%d = graph.convert %c : {t} -> {u}"])


def selection(r):
    shape = [r.randint(1, 20), r.randint(1, 300)]
    t, p = tensor(shape), tensor(shape, "i1")
    return function([("a", t), ("b", t)], [("d", t)],
                    [f"%c = graph.compare lt, %a, %b : {t} -> {p}", f"%d = graph.select %c, %a, %b : {p}, {t}"])


def dynamic_chain(r):
    size = r.randint(1, 70)
    t = f"tensor<?x{size}xf32>"
    dims = f'{{graph.dims = ["n", "{size}"]}}'
    return function([("a", t, dims)], [("c", t, dims)], [unary("exp", "a", "b", t), unary("neg", "b", "c", t)])


def transpose(r):
    n, m, element = r.randint(2, 90), r.randint(2, 90), r.choice(["f32", "i8", "f64"])
    t, u = tensor([n, m], element), tensor([m, n], element)
    return function([("a", t)], [("b", u)], [f"%b = graph.transpose %a [1, 0] : {t} -> {u}"])


def transpose_sum(r):
    b, n, m = r.randint(1, 3), r.randint(2, 70), r.randint(2, 70)
    t, u = tensor([b, n, m]), tensor([b, m, n])
    return function([("a", t), ("x", u)], [("d", u)],
                    [f"%b = graph.transpose %a [0, 2, 1] : {t} -> {u}", f"%d = graph.add %b, %x : {u}"])


def concatenation(r):
    rows, n, m = r.randint(1, 30), r.randint(1, 60), r.randint(1, 60)
    t, u, v = tensor([rows, n]), tensor([rows, m]), tensor([rows, n + m])
    return function([("a", t), ("b", u)], [("d", v)],
                    [f"%c = graph.concat 1, %a, %b : ({t}, {u}) -> {v}", unary("neg", "c", "d", v)])


def padding(r):
    n, m, low, high = r.randint(1, 30), r.randint(1, 60), r.randint(0, 3), r.randint(0, 5)
    t, u = tensor([n, m]), tensor([n, m + low + high])
    return function([("a", t)], [("c", u)],
                    ["%z = graph.constant dense<1.5> : tensor<f32>",
                     f"%b = graph.pad %a, %z [0, {low}] [0, {high}] [0, 0] : {t}, tensor<f32> -> {u}", unary("abs", "b", "c", u)])


def strided_slice(r):
    n, m = r.randint(2, 30), 2 * r.randint(2, 60)
    t, u = tensor([n, m]), tensor([n, m // 2])
    return function([("a", t)], [("c", u)],
                    [f"%b = graph.slice %a [0, 1] [{n}, {m // 2}] [1, 2] : {t} -> {u}", unary("exp", "b", "c", u)])


def reversal(r):
    t = tensor([r.randint(1, 30), r.randint(1, 90)])
    return function([("a", t)], [("c", t)], [f"%b = graph.reverse %a [1] : {t}", unary("neg", "b", "c", t)])


def bias(r):
    n, m = r.randint(1, 60), r.randint(1, 200)
    t, u = tensor([n, m]), tensor([m])
    return function([("a", t), ("v", u)], [("c", t)],
                    [f"%b = graph.broadcast %v [1] : {u} -> {t}", f"%c = graph.mul %a, %b : {t}"])


def embedding(r):
    rows, size, count = r.randint(1, 50), r.randint(1, 90), r.randint(1, 40)
    t, i, u = tensor([rows, size]), tensor([count, 1], "i64"), tensor([count, size])
    return function([("a", t), ("i", i)], [("c", u)],
                    [f"%b = graph.gather %a, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], "
                     f"index_vector_dim = 1> sizes [1, {size}] : ({t}, {i}) -> {u}", unary("neg", "b", "c", u)])


def update(r):
    n, m, part = r.randint(4, 40), r.randint(1, 90), r.randint(1, 4)
    t, u = tensor([n, m]), tensor([part, m])
    return function([("a", t), ("u", u)], [("c", t)],
                    ["%i = graph.constant dense<1> : tensor<i64>", "%z = graph.constant dense<0> : tensor<i64>",
                     unary("tanh", "a", "b", t),
                     f"%c = graph.dynamic_update_slice %b, %u, %i, %z : ({t}, {u}, tensor<i64>, tensor<i64>) -> {t}"])


# Reductions

def row_sum(r):
    shape = [r.randint(1, 60), r.randint(1, 900)]
    t, u = tensor(shape), tensor(shape[:1])
    return function([("a", t)], [("c", u)],
                    [f"%b = graph.mul %a, %a : {t}",
                     f"%c = graph.reduce {r.choice(['sum', 'max', 'min'])}, %b [1] : {t} -> {u}"])


def column_sum(r):
    shape = [r.randint(1, 2500), r.randint(1, 90)]
    t, u = tensor(shape), tensor(shape[1:])
    return function([("a", t)], [("b", u)], [f"%b = graph.reduce sum, %a [0] : {t} -> {u}"])


def long_column_sum(r):
    shape = [r.randint(6000, 9000), r.randint(1, 40)]
    t, u = tensor(shape), tensor(shape[1:])
    return function([("a", t)], [("b", u)], [f"%b = graph.reduce sum, %a [0] : {t} -> {u}"])


def middle_sum(r):
    shape = [r.randint(1, 9), r.randint(1, 60), r.randint(1, 60)]
    t, u = tensor(shape), tensor([shape[0], shape[2]])
    return function([("a", t)], [("b", u)], [f"%b = graph.reduce {r.choice(['sum', 'max'])}, %a [1] : {t} -> {u}"])


def total(r):
    t, u = tensor([r.randint(1, 200000)]), tensor([])
    return function([("a", t)], [("b", u)], [f"%b = graph.reduce sum, %a [0] : {t} -> {u}"])


def softmax(r):
    t = tensor([r.randint(1, 40), r.randint(1, 600)])
    return function([("a", t)], [("b", t)], [f"%b = graph.softmax %a [1] : {t}"])


def column_softmax(r):
    t = tensor([r.randint(1, 60), r.randint(1, 200)])
    return function([("a", t)], [("b", t)], [f"%b = graph.softmax %a [0] : {t}"])


def normalization(r):
    t = tensor([r.randint(1, 40), r.randint(2, 400)])
    op = r.choice(["layer_norm", "rms_norm"])
    return function([("a", t)], [("b", t)], [f"%b = graph.{op} %a {{axis = 1 : i64, epsilon = 1.0e-5 : f64}} : ({t}) -> {t}"])


def arg_max(r):
    shape, dim = [r.randint(1, 40), r.randint(1, 300)], r.randint(0, 1)
    t, u = tensor(shape), tensor([shape[1 - dim]], "i64")
    return function([("a", t)], [("b", u)], [f"%b = graph.arg_reduce {r.choice(['max', 'min'])}, %a {dim} : {t} -> {u}"])


def combined(r):
    shape = [r.randint(1, 40), r.randint(1, 60)]
    t, u = tensor(shape), tensor(shape[:1])
    return function([("a", t)], [("b", u)],
                    ["%z = graph.constant dense<0.0> : tensor<f32>", "%b = graph.reduce_with (%a), (%z) [1] {",
                     "^bb0(%x: tensor<f32>, %y: tensor<f32>):", "  %n = graph.sub %x, %y : tensor<f32>",
                     "  graph.yield %n : tensor<f32>", f"}} : ({t}, tensor<f32>) -> {u}"])


# Products

def dot(a, b, c, lead="[] x []", contracting="[1] x [0]", x="a", y="b"):
    return f"%c = graph.dot_general %{x}, %{y} <batching = {lead}, contracting = {contracting}> : ({a}, {b}) -> {c}"


def product(r):
    element = r.choice(["f32", "f64"])
    m, k, n = r.randint(1, 90), r.randint(1, 200), r.randint(1, 120)
    a, b, c = tensor([m, k], element), tensor([k, n], element), tensor([m, n], element)
    return function([("a", a), ("b", b)], [("d", c)], [dot(a, b, c), unary("tanh", "c", "d", c)])


def large_product(r):
    m, k, n = r.randint(100, 200), r.randint(300, 700), r.randint(100, 300)
    a, b, c = tensor([m, k]), tensor([k, n]), tensor([m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c)])


def batched_product(r):
    batch, m, k, n = r.randint(2, 4), r.randint(1, 50), r.randint(1, 90), r.randint(1, 70)
    a, b, c = tensor([batch, m, k]), tensor([batch, k, n]), tensor([batch, m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c, "[0] x [0]", "[2] x [1]")])


def product_along_k(r):
    m, k, n = r.randint(1, 60), r.randint(1, 300), r.randint(1, 60)
    a, b, c = tensor([m, k]), tensor([n, k]), tensor([m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c, contracting="[1] x [1]")])


def few_columns(r):
    m, k, n = r.randint(4, 60), r.randint(64, 300), r.randint(2, 6)
    a, b, c = tensor([m, k]), tensor([n, k]), tensor([m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c, contracting="[1] x [1]")])


def gates(r):
    """Slices of a product's columns that its epilogue combines: a step of an LSTM without its state."""
    m, k, h = r.randint(1, 30), r.randint(10, 200), 64 * r.randint(1, 3)
    a, b, c, g = tensor([m, k]), tensor([k, 4 * h]), tensor([m, 4 * h]), tensor([m, h])
    lines = [f"%b = graph.get_param @w : {b}", dot(a, b, c)]
    lines += [f"%s{i} = graph.slice %c [0, {i * h}] [{m}, {h}] [1, 1] : {c} -> {g}" for i in range(4)]
    lines += [unary("logistic", f"s{i}", f"g{i}", g) for i in range(3)] + [unary("tanh", "s3", "g3", g)]
    lines += [f"%p = graph.mul %g0, %g3 : {g}", f"%q = graph.mul %g1, %x : {g}", f"%u = graph.add %p, %q : {g}",
              unary("tanh", "u", "v", g), f"%y = graph.mul %g2, %v : {g}"]
    return function([("a", a), ("x", g)], [("y", g), ("u", g)], lines, outer=f"graph.param @w : {b} = dense<0.01> : {b}\n")


def few_rows(r):
    m, k, n = r.randint(1, 8), r.randint(100, 700), r.randint(100, 700)
    a, b, c = tensor([m, k]), tensor([k, n]), tensor([m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c)])


def gradient(r):
    """The rows of A are strided along K."""
    m, k, n = r.randint(20, 90), r.randint(100, 900), r.randint(20, 90)
    a, b, c = tensor([k, m]), tensor([k, n]), tensor([m, n])
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c, contracting="[0] x [0]")])


def gram(r):
    m, k = r.randint(2, 90), r.randint(1, 90)
    a, c = tensor([m, k]), tensor([m, m])
    return function([("a", a)], [("c", c)], [dot(a, a, c, contracting="[1] x [1]", y="a")])


def packed_product(r):
    m, k, n = r.randint(1, 90), r.randint(1, 200), r.randint(1, 120)
    a, b, c = tensor([m, k]), tensor([k, n]), tensor([m, n])
    return function([("a", a)], [("d", c)], [f"%b = graph.get_param @w : {b}", dot(a, b, c), unary("tanh", "c", "d", c)],
                    outer=f"graph.param @w : {b} = dense<{r.choice([0.5, -0.25])}> : {b}\n")


def packed_rows(r):
    """Any number of rows: a choice by sizes where vectors are wide."""
    k, n = r.randint(30, 200), r.randint(30, 120)
    a, b, c = f"tensor<?x{k}xf32>", tensor([k, n]), f"tensor<?x{n}xf32>"
    return function([("a", a, f'{{graph.dims = ["n", "{k}"]}}')], [("c", c, f'{{graph.dims = ["n", "{n}"]}}')],
                    [f"%b = graph.get_param @w : {b}", dot(a, b, c)], outer=f"graph.param @w : {b} = dense<0.5> : {b}\n")


def narrow_product(r):
    m, k, n = r.randint(1, 60), r.randint(1, 120), r.randint(1, 80)
    a, b, c = tensor([m, k], "bf16"), tensor([k, n], "bf16"), tensor([m, n], "f32")
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c)])


def integer_product(r):
    m, k, n = r.randint(1, 60), r.randint(1, 120), r.randint(1, 80)
    a, b, c = tensor([m, k], "i32"), tensor([k, n], "i32"), tensor([m, n], "i32")
    return function([("a", a), ("b", b)], [("c", c)], [dot(a, b, c)])


def byte_product(r):
    m, k, n = r.randint(1, 60), r.randint(1, 120), r.randint(1, 80)
    a, b, c = tensor([m, k], "i8"), tensor([k, n], "i8"), tensor([m, n], "i32")
    return function([("a", a)], [("c", c)], [f"%b = graph.get_param @w : {b}", dot(a, b, c)],
                    outer=f"graph.param @w : {b} = dense<{r.choice([3, -7])}> : {b}\n")


# Convolutions and windows

def conv(x, w, y, stride=1, low=0, groups=1):
    return (f"%c = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> "
            f"strides [{stride}, {stride}] low [{low}, {low}] high [{low}, {low}] input_dilation [1, 1] "
            f"kernel_dilation [1, 1] groups {groups} : ({x}, {w}) -> {y}")


def convolution(r):
    n, size, c, f, k = r.randint(1, 2), r.randint(4, 20), r.choice([1, 3, 8, 16]), r.choice([4, 8, 16, 40]), r.choice([1, 3, 5])
    stride, low = r.choice([1, 2]), k // 2
    out = (size + 2 * low - k) // stride + 1
    x, w, y = tensor([n, size, size, c]), tensor([k, k, c, f]), tensor([n, out, out, f])
    return function([("a", x), ("b", w)], [("c", y)], [conv(x, w, y, stride, low)])


def packed_convolution(r):
    size, c, f, k = r.randint(4, 20), r.choice([8, 16]), r.choice([16, 40]), r.choice([1, 3])
    x, w, y = tensor([1, size, size, c]), tensor([k, k, c, f]), tensor([1, size, size, f])
    return function([("a", x)], [("d", y)],
                    [f"%b = graph.get_param @w : {w}", conv(x, w, y, 1, k // 2), unary("tanh", "c", "d", y)],
                    outer=f"graph.param @w : {w} = dense<0.05> : {w}\n")


def winograd(r):
    size = r.randint(40, 60)
    x, w, y = tensor([1, size, size, 16]), tensor([3, 3, 16, 32]), tensor([1, size, size, 32])
    return function([("a", x)], [("c", y)], [f"%b = graph.get_param @w : {w}", conv(x, w, y, 1, 1)],
                    outer=f"graph.param @w : {w} = dense<0.05> : {w}\n")


def grouped_convolution(r):
    size, groups, c, f = r.randint(4, 14), r.choice([2, 4]), r.choice([2, 8]), r.choice([4, 8])
    x, w, y = tensor([1, size, size, groups * c]), tensor([3, 3, c, groups * f]), tensor([1, size, size, groups * f])
    return function([("a", x), ("b", w)], [("c", y)], [conv(x, w, y, 1, 1, groups)])


def depthwise(r):
    size, c = r.randint(4, 24), r.choice([4, 8, 24, 33])
    x, w = tensor([1, size, size, c]), tensor([3, 3, 1, c])
    return function([("a", x), ("b", w)], [("c", x)], [conv(x, w, x, 1, 1, c)])


def pooling(r):
    size, c = r.randint(4, 30), r.choice([1, 5, 16])
    out = (size - 2) // 2 + 1
    x, y = tensor([1, size, size, c]), tensor([1, out, out, c])
    return function([("a", x)], [("b", y)],
                    [f"%b = graph.reduce_window {r.choice(['max', 'sum'])}, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] "
                     f"low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : {x} -> {y}"])


def pooling_nchw(r):
    size, c, pad = r.choice([r.randint(6, 9), r.randint(6, 30)]), r.choice([1, 5, 16]), r.randint(0, 1)
    out = size + 2 * pad - 2
    x, y = tensor([1, c, size, size]), tensor([1, c, out, out])
    return function([("a", x)], [("b", y)],
                    [f"%b = graph.reduce_window {r.choice(['max', 'sum'])}, %a window [1, 1, 3, 3] strides [1, 1, 1, 1] "
                     f"low [0, 0, {pad}, {pad}] high [0, 0, {pad}, {pad}] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : {x} -> {y}"])


def pooling_of_any_size(r):
    """Rows of planes that are read where they lie, or copied, by tiles or interleaved: a choice by sizes."""
    c, k = r.choice([1, 5, 19]), r.choice([3, 3, 5])
    t, dims = f"tensor<1x{c}x?x?xf32>", f'{{graph.dims = ["1", "{c}", "n", "n"]}}'
    return function([("a", t, dims)], [("b", t, dims)],
                    [f"%b = graph.reduce_window {r.choice(['max', 'sum'])}, %a window [1, 1, {k}, {k}] strides [1, 1, 1, 1] "
                     f"low [0, 0, {k // 2}, {k // 2}] high [0, 0, {k // 2}, {k // 2}] base_dilation [1, 1, 1, 1] "
                     f"dilation [1, 1, 1, 1] : {t} -> {t}"])


def depthwise_nchw(r):
    size, c, k = r.choice([r.randint(6, 8), r.randint(6, 40)]), r.choice([1, 6, 17]), r.choice([3, 5, 7])
    x, w = tensor([1, c, size, size]), tensor([c, 1, k, k])
    return function([("a", x), ("b", w)], [("c", x)],
                    [f"%c = graph.convolution %a, %b <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])> "
                     f"strides [1, 1] low [{k // 2}, {k // 2}] high [{k // 2}, {k // 2}] input_dilation [1, 1] "
                     f"kernel_dilation [1, 1] groups {c} : ({x}, {w}) -> {x}"])


def byte_depthwise(r):
    size, c = r.randint(4, 24), r.choice([16, 33, 64])
    x, w = [1, size, size, c], [3, 3, 1, c]
    wide, filter = tensor(x), tensor(w)
    return function([("i", tensor(x, "ui8")), ("j", tensor(w, "i8"))], [("d", wide)],
                    [f"%a = graph.convert %i : {tensor(x, 'ui8')} -> {wide}", f"%b = graph.convert %j : {tensor(w, 'i8')} -> {filter}",
                     conv(wide, filter, wide, 1, 1, c), unary("abs", "c", "d", wide)])


def combined_windows(r):
    n, m = r.randint(1, 30), 2 * r.randint(1, 60)
    t, u = tensor([n, m]), tensor([n, m // 2])
    return function([("a", t)], [("b", u)],
                    ["%z = graph.constant dense<0.0> : tensor<f32>",
                     "%b = graph.reduce_window_with (%a), (%z) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] "
                     "base_dilation [1, 1] dilation [1, 1] {", "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
                     "  %n = graph.sub %x, %y : tensor<f32>", "  graph.yield %n : tensor<f32>", f"}} : ({t}, tensor<f32>) -> {u}"])


# Scans, scatters, attention, routines

def scan(r):
    t = tensor([r.randint(1, 40), r.randint(1, 200)], r.choice(["f32", "f32", "f16", "i64"]))
    form = r.choice(["", " exclusive", " reverse"])
    return function([("a", t)], [("b", t)], [f"%b = graph.cumulative {r.choice(['sum', 'max'])}, %a {r.randint(0, 1)}{form} : {t}"])


INTO_ROWS = "<window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>"


def scatter(r):
    rows, n, count = r.randint(2, 30), r.randint(1, 600), r.randint(1, 40)
    t, i, u = tensor([rows, n]), tensor([count, 1], "i64"), tensor([count, n])
    return function([("a", t), ("i", i), ("u", u)], [("c", t)],
                    [unary("neg", "a", "b", t),
                     f"%c = graph.scatter {r.choice(['sum', 'max', 'set'])}, %b, %i, %u {INTO_ROWS} : ({t}, {i}, {u}) -> {t}"])


def scatter_of_many(r):
    rows, n, count = r.randint(2, 300), r.choice([40, 64]), r.randint(600, 900)
    t, i, u = tensor([rows, n]), tensor([count, 1], "i64"), tensor([count, n])
    return function([("a", t), ("i", i), ("u", u)], [("c", t)],
                    [f"%c = graph.scatter {r.choice(['sum', 'max', 'set'])}, %a, %i, %u {INTO_ROWS} : ({t}, {i}, {u}) -> {t}"])


def combined_scatter(r):
    rows, n, count = r.randint(2, 30), r.randint(1, 60), r.randint(1, 40)
    t, i, u = tensor([rows, n]), tensor([count, 1], "i64"), tensor([count, n])
    return function([("a", t), ("i", i), ("u", u)], [("c", t)],
                    [f"%c = graph.scatter_with (%a), %i, (%u) {INTO_ROWS} {{", "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
                     "  %n = graph.sub %x, %y : tensor<f32>", "  graph.yield %n : tensor<f32>", f"}} : ({t}, {i}, {u}) -> {t}"])


def attention(r):
    heads, s, t, d = r.randint(1, 3), r.choice([3, 7, 33, 70]), r.randint(1, 200), r.choice([8, 16, 32, 64])
    q, k = tensor([heads, s, d]), tensor([heads, t, d])
    return function([("q", q), ("k", k), ("v", k)], [("b", q)],
                    [f"%b = graph.attention %q, %k, %v {{scale = 0.125 : f64}} : ({q}, {k}, {k}) -> {q}"])


def causal_attention(r):
    heads, s, d = r.randint(1, 3), r.randint(1, 90), r.choice([8, 16, 32])
    q = tensor([heads, s, d])
    return function([("q", q), ("k", q), ("v", q)], [("b", q)],
                    [f"%b = graph.attention %q, %k, %v {{scale = 0.125 : f64, causal}} : ({q}, {q}, {q}) -> {q}"])


def attention_of_any_queries(r):
    """Few queries read keys and values where they lie, more of them copies: a branch by sizes."""
    heads, t, d = r.randint(1, 3), r.randint(1, 200), r.choice([8, 16, 64])
    q, k, dims = f"tensor<{heads}x?x{d}xf32>", tensor([heads, t, d]), f'{{graph.dims = ["{heads}", "n", "{d}"]}}'
    return function([("q", q, dims), ("k", k), ("v", k)], [("b", q, dims)],
                    [f"%b = graph.attention %q, %k, %v {{scale = 0.125 : f64}} : ({q}, {k}, {k}) -> {q}"])


def decoding(r):
    heads, t, d = r.randint(1, 8), r.randint(1, 600), r.choice([16, 64])
    q, k = tensor([heads, 1, d]), tensor([heads, t, d])
    return function([("q", q), ("k", k), ("v", k)], [("b", q)],
                    [f"%b = graph.attention %q, %k, %v {{scale = 0.125 : f64}} : ({q}, {k}, {k}) -> {q}"])


def sort(r):
    t = tensor([r.randint(1, 500)])
    return function([("a", t)], [("b", t)], [f"%b = graph.sort %a 0 keys 1 : ({t}) -> ({t})"])


def largest(r):
    rows, n, k = r.randint(1, 5), r.randint(5, 90), r.randint(1, 5)
    t, u, v = tensor([rows, n]), tensor([rows, k]), tensor([rows, k], "i64")
    return function([("a", t)], [("b", u), ("c", v)], [f"%b, %c = graph.top_k %a 1 : ({t}) -> ({u}, {v})"])


def membership(r):
    n, m = r.randint(1, 90), r.randint(1, 30)
    t, u, p = tensor([n, 2], "i64"), tensor([m, 2], "i64"), tensor([n], "i1")
    return function([("a", t), ("b", u)], [("c", p)], [f"%c = graph.is_in %a, %b : ({t}, {u}) -> {p}"])


def fourier(r):
    n, m = r.randint(1, 9), 2 * r.randint(1, 40)
    t, u, v = tensor([n, m]), f"tensor<{n}x{m // 2 + 1}xcomplex<f32>>", tensor([n, m // 2 + 1])
    return function([("a", t)], [("c", v)],
                    [f"%b = graph.fourier r2c, %a [{m}] : ({t}) -> {u}", f"%c = graph.real %b : {u} -> {v}"])


ALL = [chain, in_place, narrowed, selection, dynamic_chain, transpose, transpose_sum, concatenation, padding, strided_slice,
       reversal, bias, embedding, update, row_sum, column_sum, long_column_sum, middle_sum, total, softmax, column_softmax,
       normalization, arg_max, combined, product, large_product, batched_product, product_along_k, few_columns, gates, few_rows, gradient, gram,
       packed_product, packed_rows, narrow_product, integer_product, byte_product, convolution, packed_convolution, winograd,
       grouped_convolution, depthwise, depthwise_nchw, byte_depthwise, pooling, pooling_nchw, pooling_of_any_size, combined_windows,
       scan, scatter, scatter_of_many, combined_scatter, attention,
       causal_attention, attention_of_any_queries, decoding, sort, largest, membership, fourier]
