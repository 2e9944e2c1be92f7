// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that is no expression is refused where it stands.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{got "4*", expected an expression over dimensions}}
module attributes {test.a = #graph.dim<"4*">} {}

// -----

// expected-error@+1 {{got "", expected an expression over dimensions}}
module attributes {test.a = #graph.dim<"">} {}
