# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: growth.py N: a chain of N functions that call the next one twice.
import sys

count = int(sys.argv[1])
for i in range(count):
    name = "main" if i == 0 else f"f{i}"
    print(f"func.func {'' if i == 0 else 'private '}@{name}(%x: tensor<2xf32>) -> tensor<2xf32> {{")
    if i + 1 < count:
        print(f"  %a = call @f{i + 1}(%x) : (tensor<2xf32>) -> tensor<2xf32>")
        print(f"  %r = call @f{i + 1}(%a) : (tensor<2xf32>) -> tensor<2xf32>")
    else:
        print("  %r = graph.neg %x : tensor<2xf32>")
    print("  return %r : tensor<2xf32>\n}")
