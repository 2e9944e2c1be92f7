#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random edits of graph files: each is read as the right graph, or refused with exit 2 and its place.

usage: graph_edits.py ZENITH_SEARCH SEED COUNT

What is right says a reader of its own: JSON by Python's parser, GAP by the small evaluator below. Edits delete, insert, replace, repeat or
exchange a few characters, so that most files are wrong in one place and some are still files of another graph.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

GAP = ["""# A puzzle.
a := (1,2,3)(4,5);
b := (3,4)*(1,2);
c := a^-1 * b^2 / a;
d := (1,5)^a;;
gens := [a, b, (2,3)];
points := [1, 2, 3];
G := Group(a, b, c, d);
""", """#@ inverses no
M_x := (1,2,3,4,5,6,7);
M_y := (1,2);
M_x := M_x^2;
""", """#@ central [0,0,1,1]
L := (1,2,3,4); R := ((1,2)*(3,4))^2*(1,3);
[L, R*L];
"""]
JSON = ['{"generators": {"a": [1, 2, 0, 3], "b": [1, 0, 3, 2]}, "central": [0, 0, 1, 1]}',
        '{"generators": {\n  "s": [[0, 1], [1, 0]],\n  "t": [[1, 1], [0, 1]]},\n "modulus": 5}\n',
        '{"info": {"name": "x"}, "generators": {"L": [1, 2, 3, 4, 0], "X": [1, 0, 2, 3, 4]}}']
LETTERS = "()[]{},;:=*/^-#@\"' \n0123456789abGML_."


class Refused(Exception):
    pass


def need(holds):
    if not holds:
        raise Refused


# Permutations are dictionaries of the points that they move.
def product(p, q):
    both = {x: q.get(p.get(x, x), p.get(x, x)) for x in set(p) | set(q)}
    return {x: y for x, y in both.items() if x != y}


def inverse(p):
    return {y: x for x, y in p.items()}


def power(p, n):
    p, result = (inverse(p), {}) if n < 0 else (p, {})
    for _ in range(abs(n)):
        result = product(result, p)
    return result


class Gap:
    """Moves and hints of a text."""

    def __init__(self, text):
        self.hints = [h.strip() for h in re.findall(r"^#@([^\n]*)", self.comments(text), re.M)]
        self.tokens = re.findall(r":=|(?:\\.|[A-Za-z0-9_@])+|\S", re.sub(r"#[^\n]*", "", text), re.S)
        self.at, self.values, self.group, self.list = 0, {}, None, None
        while self.at < len(self.tokens):
            self.statement()
        named = [(n, v[1]) for n, v in self.values.items() if v[0] == "element"]
        self.moves = self.group if self.group is not None else self.list if self.list is not None else named

    @staticmethod
    def comments(text):
        return "\n".join(re.findall(r"#[^\n]*", text))

    def next(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, token):
        taken = self.next() == token
        self.at += taken
        return taken

    @staticmethod
    def is_number(token):
        return token.isdigit() and token.isascii()

    def is_name(self, token):
        return bool(re.fullmatch(r"(?:\\.|[A-Za-z0-9_@])+", token, re.S)) and not self.is_number(token)

    def statement(self):
        if self.take(";"):
            return
        name = None
        if self.is_name(self.next()) and self.next(1) == ":=":
            name = re.sub(r"\\(.)", r"\1", self.next(), flags=re.S)
            self.at += 2
        kind, value, _ = self.product()
        need(name is not None or kind in ("list", "group"))
        need(self.take(";"))
        if kind in ("list", "group"):
            value = [(n or (name + "." if name else "") + str(i + 1), p) for i, (n, p) in enumerate(value)]
            if kind == "group":
                self.group = value
            elif value:
                self.list = value
        if name is not None:
            self.values[name] = (kind, value)

    def product(self):
        left = self.power()
        while self.next() in ("*", "/"):
            sign = self.next()
            self.at += 1
            right = self.power()
            need(left[0] == right[0] == "element")
            left = ("element", product(left[1], right[1] if sign == "*" else inverse(right[1])), "")
        return left

    def power(self):
        base = self.operand()
        if not self.take("^"):
            return base
        minus = self.take("-")
        by = self.operand()
        need(self.next() != "^" and base[0] == "element" and by[0] in ("integer", "element"))
        if by[0] == "integer":
            return ("element", power(base[1], (-by[1] if minus else by[1]) % self.order(base[1])), "")
        need(not minus)
        return ("element", product(product(inverse(by[1]), base[1]), by[1]), "")

    @staticmethod
    def order(p):
        order, now = 1, p
        while now:
            order, now = order + 1, product(now, p)
        return order

    def operand(self):
        token = self.next()
        if self.is_number(token) or token == "-":
            minus = self.take("-")
            need(self.is_number(self.next()) and int(self.next()) < 2**63)
            self.at += 1
            return ("integer", int(self.tokens[self.at - 1]) * (-1 if minus else 1), "")
        if token == "Group" and self.next(1) == "(":
            self.at += 2
            return ("group", self.entries(")", True), "")
        if self.is_name(token):
            name = re.sub(r"\\(.)", r"\1", token, flags=re.S)
            need(name in self.values)
            self.at += 1
            return self.values[name] + (name,)
        if self.take("["):
            return ("list", self.entries("]", False), "")
        need(token == "(")
        if self.next(1) == ")" or (self.is_number(self.next(1)) and self.next(2) == ","):
            result = {}
            while self.take("("):
                result = product(result, self.cycle())
            return ("element", result, "")
        self.at += 1
        kind, value, _ = self.product()
        need(self.take(")"))
        return (kind, value, "")

    def cycle(self):
        points = []
        while not self.take(")"):
            need(not points or self.take(","))
            token = self.next()
            need(self.is_number(token) and 1 <= int(token) <= 65536 and int(token) not in points)
            points.append(int(token))
            self.at += 1
        return {x: points[(i + 1) % len(points)] for i, x in enumerate(points) if len(points) > 1}

    def entries(self, end, is_group):
        moves, others, first = [], False, True
        while not self.take(end):
            need(first or self.take(","))
            first = False
            kind, value, name = self.product()
            if kind == "element":
                moves.append((name, value))
            elif is_group and kind == "list":
                moves += value
            else:
                others = True
            need(not others or not (is_group or moves))
        return moves


def right_gap(text):
    """(names and images of the generators that the text gives, central state)."""
    gap = Gap(text)
    central, adds = None, True
    for hint in gap.hints:
        if re.fullmatch(r"inverses\s*no", hint):
            need(hint.startswith("inverses "))
            adds = False
            continue
        found = re.fullmatch(r"central \s*\[(.*)\]", hint)
        need(found)
        entries = [x.strip() for x in found[1].split(",")]
        need(all(Gap.is_number(x) and int(x) < 2**31 for x in entries))
        central = [int(x) for x in entries]
    moved = max([x for _, p in gap.moves for x in p] or [0])
    need(moved > 0 or (central and gap.moves))
    need(central is None or len(central) >= moved)
    points = len(central or range(moved))
    names = [n for n, _ in gap.moves]
    # A prefix of puzzle files, which have no hints; names beside hints are whole.
    while not gap.hints and names and all(n.startswith("M_") for n in names):
        names = [n[2:] for n in names]
    result = []
    for name, (_, p) in zip(names, gap.moves):
        images = [p.get(x, x) - 1 for x in range(1, points + 1)]
        result.append((name, images))
        back = [images.index(x) for x in range(points)]
        if adds and back != images:
            result.append((name + "'", back))
    return result, central or list(range(points))


def right_json(text):
    def once(pairs):
        need(len({k for k, _ in pairs}) == len(pairs))
        return dict(pairs)

    def refuse(_):
        raise Refused

    try:
        value = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Refused
    need(isinstance(value, dict) and set(value) <= {"generators", "central", "modulus", "info"})
    generators = value.get("generators")
    need(isinstance(generators, dict) and generators)

    def integer(x):
        need(isinstance(x, (int, float)) and not isinstance(x, bool) and x == int(x))
        return int(x)

    if "modulus" in value:
        modulus = integer(value["modulus"])
        need(2 <= modulus <= 2**31)
        size = None
        for name, m in generators.items():
            need(isinstance(m, list) and m and (size or len(m)) == len(m) <= 64)
            size = len(m)
            need(all(isinstance(row, list) and len(row) == size for row in m))
            generators[name] = [[integer(x) % modulus for x in row] for row in m]
        central = value.get("central", [int(i == j) for i in range(size) for j in range(size)])
        need(isinstance(central, list) and central and len(central) % size == 0)
        need(all(0 <= integer(x) < modulus for x in central))
    else:
        size = None
        for name, p in generators.items():
            need(isinstance(p, list) and p and (size or len(p)) == len(p))
            size = len(p)
            generators[name] = [integer(x) for x in p]
            need(sorted(generators[name]) == list(range(size)))
        central = value.get("central", list(range(size)))
        need(isinstance(central, list) and len(central) == size and all(0 <= integer(x) < 2**31 for x in central))
    return list(generators.items()), [int(x) for x in central]


def edited(text, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, size = rng.randrange(len(text) + 1), rng.choice((1, 1, 1, 2, 5))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + size:]
        elif kind == 1:
            text = text[:at] + rng.choice(LETTERS) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(LETTERS) + text[at + 1:]
        elif kind == 3:
            text = text[:at] + text[at:at + size] + text[at:]
        else:
            text = text[:at] + text[at + 1:at + 2] + text[at:at + 1] + text[at + 2:]
    return text


def check(search, text, ending, folder):
    """Why a text is read wrongly; empty where it is not."""
    try:
        wanted, central = right_gap(text) if ending == "gap" else right_json(text)
    except Refused:
        wanted = None
    name = os.path.join(folder, "graph." + ending)
    with open(name, "w", newline="") as out:
        out.write(text)
    run = subprocess.run([search, "info", name, "--json"], capture_output=True, text=True, timeout=60)
    if run.returncode not in (0, 2):
        return f"exit {run.returncode}: {run.stderr[:200]}"
    if run.returncode == 2:
        if not run.stderr.startswith(name + ":"):
            return f"no place: {run.stderr[:200]}"
        return "refused, and is a graph: " + run.stderr[:200] if wanted else ""
    got = json.loads(run.stdout)
    if wanted is None:
        return "read, and is no graph: " + json.dumps(got["generators"])[:200]
    same = list(got["generators"].items()) == wanted if len(dict(wanted)) == len(wanted) else True
    if not same or got["central"] != central:
        return f"another graph: {json.dumps(got['generators'])[:300]}, expected {json.dumps(wanted)[:300]}"
    return ""


def main():
    search, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng, failed, read = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            ending = ("gap", "json")[number % 2]
            text = rng.choice(GAP if ending == "gap" else JSON)
            text = edited(text, rng) if number >= 2 * len(GAP) else (GAP if ending == "gap" else JSON)[number // 2]
            why = check(search, text, ending, folder)
            if why:
                failed += 1
                print(f"edit {number}: {why}\n{text}\n")
    print(f"{count - failed} of {count} edits are read rightly or refused with a place")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
