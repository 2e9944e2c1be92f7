#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of branches inside of each other, with an identity and a dead op at each level.

usage: nested_branches.py DEPTH
"""
import sys

KIND = "tensor<4xf32>"


def nest(depth):
    """Lines that compute %a<depth> from %x, and need %c."""
    if depth == 0:
        return ["%%a0 = graph.neg %%x : %s" % KIND]
    inner = nest(depth - 1)
    lines = ["%%d%d = graph.tanh %%x : %s" % (depth, KIND)]
    lines += ["%%a%d = graph.if %%c then {" % depth] + ["  " + line for line in inner]
    lines += ["  %%t%d = graph.transpose %%a%d [0] : %s -> %s" % (depth, depth - 1, KIND, KIND),
              "  %%s%d = graph.add %%t%d, %%x : %s" % (depth, depth, KIND),
              "  %%u%d = graph.transpose %%d%d [0] : %s -> %s" % (depth, depth, KIND, KIND),
              "  graph.yield %%s%d : %s" % (depth, KIND),
              "} else {", "  graph.yield %%x : %s" % KIND, "} : (tensor<i1>) -> %s" % KIND]
    return lines


def main(depth):
    print("func.func @main(%%x: %s, %%c: tensor<i1>) -> %s {" % (KIND, KIND))
    print("\n".join("  " + line for line in nest(depth)))
    print("  return %%a%d : %s\n}" % (depth, KIND))


if __name__ == "__main__":
    main(int(sys.argv[1]))
