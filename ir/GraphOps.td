// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the dialect, family by family in reading order: the file that documentation is generated from.

#ifndef ZENITH_IR_GRAPHOPS_TD
#define ZENITH_IR_GRAPHOPS_TD

include "ir/ops/Elementwise.td"
include "ir/ops/Movement.td"
include "ir/ops/Contraction.td"
include "ir/ops/LinearAlgebra.td"
include "ir/ops/Reduction.td"
include "ir/ops/Indexing.td"
include "ir/ops/Ordering.td"
include "ir/ops/Random.td"
include "ir/ops/Composite.td"
include "ir/ops/Control.td"
include "ir/ops/Sharding.td"

#endif // ZENITH_IR_GRAPHOPS_TD
