// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of named dimensions are kept in text and bytecode, also those of dimensions without names.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: graph.dim_bounds = {arg1_d0 = #graph.bounds<2 to 2>, "batch size" = #graph.bounds<0 to 8>, n = #graph.bounds<1 to 512, multiple = 16>}
func.func @named(%x: tensor<?x?xf32> {graph.dims = ["2*'batch size'", "n"]}, %y: tensor<?xf32>) attributes {graph.dim_bounds = {n = #graph.bounds<1 to 512, multiple = 16>, "batch size" = #graph.bounds<0 to 8, multiple = 1>, arg1_d0 = #graph.bounds<2 to 2>}} {
  return
}
