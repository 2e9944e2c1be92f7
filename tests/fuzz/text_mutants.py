# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded changes of texts of GraphIR and StableHLO: sizes and types everywhere at once, operands, ops of one form, lists,
constants, ops left out, repeated, put into a branch or a loop, so that many mutants are valid."""
import re

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
RARE = ("i1", "i4", "ui4", "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>", "f32", "i32", "i64")
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
# Ops of one form each: any may stand for another.
UNARY = ("log", "tanh", "abs", "sqrt", "rsqrt", "logistic", "floor", "ceil", "sign", "cbrt", "tan")
FORMS = {
    "graph": (
        ("add", "sub", "mul", "max", "min", "div", "rem", "pow", "atan2"),
        ("and", "or", "xor"),
        UNARY + ("exp", "neg", "sin", "cos", "erf", "expm1", "log1p", "round_even"),
        ("reduce sum", "reduce max", "reduce min", "reduce prod", "reduce any", "reduce all", "reduce parity"),
        ("reduce_window sum", "reduce_window max", "reduce_window min", "reduce_window prod"),
        ("scatter set", "scatter sum", "scatter max", "scatter min", "scatter prod"),
        ("arg_reduce max", "arg_reduce min"),
        ("fourier c2c", "fourier c2c_inverse", "fourier r2c", "fourier c2r"),
        ("shift_left", "shift_right_arithmetic", "shift_right_logical"),
    ),
    "stablehlo": (
        ("add", "subtract", "multiply", "maximum", "minimum", "divide", "remainder", "power", "atan2", "and", "or", "xor",
         "shift_left", "shift_right_arithmetic", "shift_right_logical"),
        UNARY + ("exponential", "negate", "sine", "cosine", "exponential_minus_one", "log_plus_one", "round_nearest_even",
                 "round_nearest_afz", "not", "popcnt"),
        ("slice", "pad", "transpose", "reverse", "broadcast_in_dim", "reshape"),
    ),
}
WORDS = (("eq", "ne", "lt", "le", "gt", "ge"), ("EQ", "NE", "LT", "LE", "GT", "GE"), ("true", "false"))
FLOAT_CONSTANTS = ("0.0", "-1.0", "1.0e38", "0x7FC00000", "0x7F800000", "1.0e-40", "3.0")
INTEGER_CONSTANTS = ("0", "1", "-1", "2", "5", "127", "-2147483648", "9223372036854775807")
TYPE = r"tensor<(?:[^<>]|<[^<>]*>)*>"
DIALECT = r"(?:graph|stablehlo|chlo)\."


def choose_match(rng, text, pattern, change):
    """Changes one of the places where `pattern` matches."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = rng.choice(found)
    return text[:match.start()] + change(match) + text[match.end():]


def change_size(rng, text):
    """One size becomes another one, in all types and lists, or one that only the run knows."""
    sizes = sorted(set(re.findall(r"(?<=[<x])(\d+)(?=x)", text)))
    if not sizes:
        return text
    old, new = rng.choice(sizes), str(rng.choice(SIZES))
    if rng.random() < 0.06:
        return re.sub(r"(?<=[<x])%s(?=x)" % old, "?", text)
    text = re.sub(r"(?<=[<x])%s(?=x)" % old, new, text)
    if rng.random() < 0.7:
        text = re.sub(r"(?<=[\[ ])%s(?=[,\]])" % old, new, text)
    return re.sub(r'"%s"' % old, '"%s"' % new, text)


def change_rank(rng, text):
    """Types of one rank get another dimension in front, or lose the first one."""
    sizes = sorted(set(re.findall(r"tensor<((?:\d+x)+)", text)))
    if not sizes:
        return text
    old = rng.choice(sizes)
    new = "%dx%s" % (rng.choice(SIZES[:5]), old) if rng.random() < 0.7 else old.split("x", 1)[1]
    return re.sub(r"tensor<%s(?!\d+x)" % old, "tensor<" + new, text)


def change_type(rng, text):
    kinds = rng.choice((FLOATS, INTEGERS, FLOATS, INTEGERS, RARE))
    present = [kind for kind in kinds if re.search(r"[<x]%s>" % re.escape(kind), text)]
    if not present:
        return text
    return re.sub(r"(?<=[<x])%s(?=>)" % re.escape(rng.choice(present)), rng.choice(kinds), text)


def change_operand(rng, text):
    """Operands of ops that name one type change places, or become another value of that type."""
    found = list(re.finditer(DIALECT + r"\w+ (%\w+), (%\w+) : (tensor<[^>]*>)$", text, re.M))
    if not found:
        return text
    match = rng.choice(found)
    if rng.random() < 0.5:
        return text[:match.start(1)] + match.group(2) + ", " + match.group(1) + text[match.end(2):]
    before = text[:match.start()]
    of_type = re.findall(r"(%\w+): " + re.escape(match.group(3)), before)
    of_type += re.findall(r"(%\w+) = " + DIALECT + r"\w+ %\w+, %\w+ : " + re.escape(match.group(3)) + "$", before, re.M)
    if not of_type:
        return text
    return text[:match.start(2)] + rng.choice(of_type) + text[match.end(2):]


def exchange_operands(rng, text):
    """Two operands of different types change places, and their types with them."""
    pattern = r"(%%[\w#]+), (%%[\w#]+)([^\n%%]*: \()(%s), (%s)(?=[,)])" % (TYPE, TYPE)
    return choose_match(rng, text, pattern, lambda match: "%s, %s%s%s, %s" % tuple(match.group(i) for i in (2, 1, 3, 5, 4)))


def change_op(rng, text):
    dialect = "graph" if "graph." in text else "stablehlo"
    forms = {op: form for form in FORMS[dialect] for op in form}
    pattern = r"%s\.(%s)(?= %%|, %%| across)" % (dialect, "|".join(forms))
    return choose_match(rng, text, pattern, lambda match: dialect + "." + rng.choice(forms[match.group(1)]))


def change_list(rng, text):
    """An entry of a list of numbers: another number, or two entries change places."""
    def change(match):
        entries = match.group(1).split(", ")
        i, j = rng.randrange(len(entries)), rng.randrange(len(entries))
        if rng.random() < 0.5:
            entries[i], entries[j] = entries[j], entries[i]
        else:
            entries[i] = str(int(entries[i]) + rng.choice((-1, 1, 2)))
        return match.group(0).replace(match.group(1), ", ".join(entries))
    return choose_match(rng, text, r"(?:\[|array<i64: )(-?\d+(?:, -?\d+)*)[\]>]", change)


def change_word(rng, text):
    words = rng.choice(WORDS)
    return choose_match(rng, text, r"\b(?:%s)\b" % "|".join(words), lambda match: rng.choice(words))


def change_constant(rng, text):
    if rng.random() < 0.5:
        return choose_match(rng, text, r"-?\d+\.\d+(?:[eE][+-]?\d+)?", lambda match: rng.choice(FLOAT_CONSTANTS))
    def change(match):
        return choose_match(rng, match.group(0), r"-?\d+(?![\d.eEx])", lambda number: rng.choice(INTEGER_CONSTANTS))
    return choose_match(rng, text, r"dense<\[?(?:-?\d+(?:, )?)+\]?>", change)


class OneLine:
    """An op with one result that stands on one line."""

    PATTERN = re.compile(r"^( *)%%(\w+) = ((?:%s)[^\n{]* : [^\n]*?(%s))$" % (DIALECT, TYPE), re.M)

    def __init__(self, match):
        self.start, self.end = match.span()
        self.indent, self.name, self.op, self.type = match.groups()
        self.dialect = "graph" if self.op.startswith("graph.") else "stablehlo"
        self.operands = re.findall(r"%[\w#]+", self.op.split(" : ")[0])
        types = re.findall(TYPE, self.op.split(" : ", 1)[1])
        # An operand of the result's type.
        if len(types) == 1:
            self.alike = self.operands[:1]
        else:
            self.alike = [operand for operand, type_ in zip(self.operands, types[:-1]) if type_ == self.type]

    def renamed(self, name, **values):
        """The op's line with another name, or with other operands."""
        op = self.op
        for old, new in values.get("operands", {}).items():
            op = re.sub(re.escape(old) + r"(?![\w#])", new, op)
        return "%s%%%s = %s\n" % (self.indent, name, op)


def choose_op(rng, text, suits=lambda op: True):
    ops = [op for op in map(OneLine, OneLine.PATTERN.finditer(text)) if suits(op)]
    return rng.choice(ops) if ops else None


def later(text, old, new):
    return re.sub("%" + re.escape(old) + r"(?![\w#])", new, text)


def leave_out(rng, text):
    """Readers of an op read its operand."""
    op = choose_op(rng, text, lambda op: op.alike)
    return text[:op.start] + later(text[op.end + 1:], op.name, op.alike[0]) if op else text


def repeat(rng, text):
    """An op is done again with what it gives."""
    op = choose_op(rng, text, lambda op: op.alike)
    if not op:
        return text
    again = op.renamed(op.name, operands={op.alike[0]: "%" + op.name + "_once"})
    return text[:op.start] + op.renamed(op.name + "_once") + again.rstrip("\n") + text[op.end:]


def into_branch(rng, text):
    op = choose_op(rng, text)
    if not op:
        return text
    name, end = op.name, {"graph": "graph.yield", "stablehlo": "stablehlo.return"}[op.dialect]
    condition = "%s%%%s_c = %s.constant dense<%s> : tensor<i1>\n" % (op.indent, name, op.dialect, rng.choice(("true", "false")))
    parts = []
    for part in ("t", "e"):
        body = op.renamed("%s_%s" % (name, part))
        value = "%%%s_%s" % (name, part)
        if part == "e" and op.alike and rng.random() < 0.5:
            body, value = "", op.alike[0]
        parts.append("%s%s%s %s : %s\n" % (body, op.indent, end, value, op.type))
    form = ("%s%%%s = graph.if %%%s_c then {\n%s} else {\n%s} : (tensor<i1>) -> %s" if op.dialect == "graph" else
            '%s%%%s = "stablehlo.if"(%%%s_c) ({\n%s}, {\n%s}) : (tensor<i1>) -> %s')
    return text[:op.start] + condition + form % (op.indent, name, name, parts[0], parts[1], op.type) + text[op.end:]


LOOPS = {
    "graph": """  %NAME_l:2 = graph.while %NAME_i, VALUE cond {
  ^bb0(%NAME_k: tensor<i32>, %NAME_a: TYPE):
    %NAME_p = graph.compare lt, %NAME_k, %NAME_n : tensor<i32> -> tensor<i1>
    graph.yield %NAME_p : tensor<i1>
  } do {
  ^bb0(%NAME_k: tensor<i32>, %NAME_a: TYPE):
    %NAME_j = graph.add %NAME_k, %NAME_s : tensor<i32>
  BODY    graph.yield %NAME_j, %NAME_o : tensor<i32>, TYPE
  } : (tensor<i32>, TYPE) -> (tensor<i32>, TYPE)
""",
    "stablehlo": """  %NAME_l:2 = stablehlo.while(%NAME_k = %NAME_i, %NAME_a = VALUE) : tensor<i32>, TYPE
  cond {
    %NAME_p = stablehlo.compare LT, %NAME_k, %NAME_n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %NAME_p : tensor<i1>
  } do {
    %NAME_j = stablehlo.add %NAME_k, %NAME_s : tensor<i32>
  BODY    stablehlo.return %NAME_j, %NAME_o : tensor<i32>, TYPE
  }
"""}


def into_loop(rng, text):
    """An op is done a few times with what it gives."""
    op = choose_op(rng, text, lambda op: op.alike)
    if not op:
        return text
    name = op.name
    loop = "".join("  %%%s_%s = %s.constant dense<%d> : tensor<i32>\n" % (name, end, op.dialect, number)
                   for end, number in (("i", 0), ("n", rng.choice((0, 1, 3))), ("s", 1)))
    loop += LOOPS[op.dialect].replace("BODY", op.renamed(name + "_o", operands={op.alike[0]: "%" + name + "_a"}))
    loop = loop.replace("NAME", name).replace("VALUE", op.alike[0]).replace("TYPE", op.type)
    return text[:op.start] + loop + later(text[op.end + 1:], name, "%" + name + "_l#1")


CHANGES = (change_size, change_size, change_size, change_rank, change_type, change_type, change_operand, exchange_operands,
           change_op, change_op, change_op, change_list, change_word, change_constant, change_constant, leave_out, repeat,
           into_branch, into_loop)


STATEMENT = re.compile(r"^  (%%\w+)(:\d+)? = (?:.*\n(?=   |  [}^]|  cond))*.*?(?:->|:) \(?(%s(?:, %s)*)\)?$" % (TYPE, TYPE), re.M)


def returning(text):
    """The program with all that it computes as its results, where it returns nothing: what nobody reads is not compiled."""
    found = re.fullmatch(r"(\s*func\.func @main\([^\n]*\)) (\{\n.*\n  return)(\n\}\s*)", text, re.S)
    if not found or "->" in found.group(1) or text.count("func.func") > 1:
        return text
    values, types = [], []
    for name, count, listed in STATEMENT.findall(found.group(2)):
        kinds = re.findall(TYPE, listed)[0 if count else -1:]
        if len(kinds) == int(count[1:] or 1):
            values += [name + "#%d" % i for i in range(len(kinds))] if count else [name]
            types += kinds
    if not values:
        return text
    return "%s -> (%s) %s %s : %s%s" % (found.group(1), ", ".join(types), found.group(2), ", ".join(values), ", ".join(types),
                                        found.group(3))


def mutant(rng, text):
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = rng.choice(CHANGES)(rng, text)
    return text
