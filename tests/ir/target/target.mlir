// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of a module: all fields are printed, in one order; those left out have the generic model's values.
//
// RUN: zenith-opt %s | FileCheck %s
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: graph.target = #graph.target<"cpu:haswell", lanes = 16, vector_registers = 16, fma = false, avx2 = true, avx512 = false, vnni = true, bf16_pairs = false, vbmi = false, printed = false, mr = 6, nr = 32, k_interleave = 1, line_bytes = 64, l1_bytes = 32768, l2_bytes = 262144, l3_bytes = 3145728, shared_cache_bytes = 16777216, memory_bytes_per_cycle = 5.500000e+00, prefetch_bytes = 2048, streaming_bytes = 0>
module attributes {graph.target = #graph.target<"cpu:haswell", l2_bytes = 262144, nr = 32, lanes = 16, fma = false, vnni = true, memory_bytes_per_cycle = 5.5>} {
}
