// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of targets, broken one by one.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{target lanes: got 12, expected a power of two up to 64 (target_c1)}}
module attributes {graph.target = #graph.target<"cpu", lanes = 12, nr = 24>} {}

// -----

// expected-error @below {{target lanes: got 128, expected a power of two up to 64 (target_c1)}}
module attributes {graph.target = #graph.target<"cpu", lanes = 128, nr = 128>} {}

// -----

// expected-error @below {{target nr: got 20, expected a multiple of lanes (target_c2)}}
module attributes {graph.target = #graph.target<"cpu", nr = 20>} {}

// -----

// expected-error @below {{target mr: got 0, expected at least 1 (target_c2)}}
module attributes {graph.target = #graph.target<"cpu", mr = 0>} {}

// -----

// expected-error @below {{target k_interleave: got 3, expected 1, 2 or 4 (target_c3)}}
module attributes {graph.target = #graph.target<"cpu", k_interleave = 3>} {}

// -----

// expected-error @below {{target line: got 60, expected a power of two (target_c4)}}
module attributes {graph.target = #graph.target<"cpu", line = 60>} {}

// -----

// expected-error @below {{target l2_bytes: got 1024, expected at least l1_bytes and at most l3_bytes (target_c4)}}
module attributes {graph.target = #graph.target<"cpu", l2_bytes = 1024>} {}

// -----

// expected-error @below {{target registers: got 0, expected at least 1 (target_c5)}}
module attributes {graph.target = #graph.target<"cpu", registers = 0>} {}

// -----

// expected-error @below {{target memory_bytes_per_cycle: got 0.000000e+00, expected more than 0 (target_c5)}}
module attributes {graph.target = #graph.target<"cpu", memory_bytes_per_cycle = 0.0>} {}

// -----

// expected-error @below {{got -1, expected a count}}
module attributes {graph.target = #graph.target<"cpu", streaming_bytes = -1>} {}

// -----

// expected-error @below {{'l4_bytes' is no field of a target}}
module attributes {graph.target = #graph.target<"cpu", l4_bytes = 1>} {}

// -----

// expected-error @below {{got 'yes', expected true or false}}
module attributes {graph.target = #graph.target<"cpu", fma = yes>} {}

// -----

// expected-error @below {{target l1_ways: got 7, expected a divisor of l1_bytes (target_c4)}}
module attributes {graph.target = #graph.target<"cpu", l1_ways = 7>} {}

// -----

// expected-error @below {{target units: got 0, expected at least 1 (target_c5)}}
module attributes {graph.target = #graph.target<"cpu", units = 0>} {}

// -----

// expected-error @below {{target gbps: got 0.000000e+00, expected more than 0 (target_c5)}}
module attributes {graph.target = #graph.target<"cpu", gbps = 0.0>} {}

// -----

// expected-error @below {{target launch_us: got -1.000000e+00, expected at least 0 (target_c5)}}
module attributes {graph.target = #graph.target<"cpu", launch_us = -1.0>} {}

// -----

// expected-error @below {{target max_group: got 0, expected at least 1 (target_c6)}}
module attributes {graph.target = #graph.target<"cpu", max_group = 0>} {}

// -----

// expected-error @below {{target subgroup: got 24, expected a power of two (target_c6)}}
module attributes {graph.target = #graph.target<"cpu", subgroup = 24>} {}

// -----

// expected-error @below {{target kind: got gpu, expected cpu where kernels run in this process (target_c6)}}
module attributes {graph.target = #graph.target<"cpu", kind = gpu>} {}

// -----

// expected-error @below {{target device: got true, expected false beside instruction sets of processors (target_c6)}}
module attributes {graph.target = #graph.target<"opencl", device = true, vnni = true, avx2 = false>} {}

// -----

// expected-error @below {{got 'tpu', expected cpu or gpu}}
module attributes {graph.target = #graph.target<"opencl", kind = tpu>} {}
