// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of a module: all fields are printed, in one order; those left out have the generic model's values. What
// earlier versions wrote is read: their names, and one word for what devices lack.
//
// RUN: zenith-opt %s --split-input-file | FileCheck %s
// RUN: zenith-opt %s --split-input-file | zenith-opt --split-input-file | FileCheck %s
// RUN: zenith-opt %s --split-input-file --emit-bytecode -o /dev/null

// CHECK: graph.target = #graph.target<"cpu:haswell", kind = cpu, device = false, units = 16, lanes = 16, registers = 16, fma = false, avx2 = true, avx512 = false, vnni = true, bf16_pairs = false, vbmi = false, fp64 = true, fp16 = false, exact_divide = true, int64_atomics = true, subgroup_ops = false, dot4x8 = false, fragments = false, calls = true, prefetches = true, stack_arrays = true, wide_loads = true, shuffles = true, lane_branches = true, mask_bits = true, cheap_masks = false, long_conversions = false, library_doubles = false, tile_variants = true, core_caches = true, out_of_order = true, mr = 6, nr = 32, k_interleave = 1, max_group = 1024, subgroup = 1, local_bytes = 0, local_is_memory = true, max_parameter_bytes = 1024, line = 64, l1_bytes = 32768, l1_ways = 8, l2_bytes = 262144, l3_bytes = 3145728, cache_bytes = 16777216, global_bytes = 0, max_alloc_bytes = 0, unified = true, memory_bytes_per_cycle = 5.500000e+00, prefetch_bytes = 2048, streaming_bytes = 0, vector_fmas_per_cycle = 1.750000e+00, fma_latency = 4, f32_gflops = 1.600000e+03, gbps = 6.000000e+01, launch_us = 2.000000e+00, task_us = 5.000000e+00, upload_gbps = 0.000000e+00, download_gbps = 0.000000e+00, transfer_us = 0.000000e+00>
module attributes {graph.target = #graph.target<"cpu:haswell", l2_bytes = 262144, nr = 32, lanes = 16, fma = false, vnni = true, memory_bytes_per_cycle = 5.5>} {
}

// -----

// CHECK: #graph.target<"cpu:old", kind = cpu, device = false, {{.*}}registers = 32, {{.*}}calls = true, {{.*}}line = 128, {{.*}}cache_bytes = 4194304,
module attributes {graph.target = #graph.target<"cpu:old", vector_registers = 32, printed = false, line_bytes = 128, shared_cache_bytes = 4194304>} {
}

// -----

// CHECK: #graph.target<"opencl", kind = cpu, device = true, {{.*}}avx2 = false, {{.*}}calls = false, prefetches = false, stack_arrays = false, wide_loads = false, shuffles = false, lane_branches = false, mask_bits = false, cheap_masks = true, long_conversions = true, library_doubles = true, tile_variants = false, core_caches = false, out_of_order = false,
module attributes {graph.target = #graph.target<"opencl", printed = true, nr = 8>} {
}

// -----

// CHECK: #graph.target<"opencl:1", kind = gpu, device = true,
module attributes {graph.target = #graph.target<"opencl:1", kind = gpu, device = true, avx2 = false, subgroup = 64>} {
}
