// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about axes of meshes and factors of these. The attributes
// themselves are generated with those of the dialect (ir/GraphDialect.h).

#ifndef ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_H
#define ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_H

#include "ir/GraphDialect.h"

namespace zenith::graph {

/// Whether two axes, or factors of one axis, have positions in common; an axis
/// overlaps itself.
bool overlap(AxisRefAttr lhs, AxisRefAttr rhs);
/// The factor of `axis` with `before` positions before it, or the whole axis
/// where it covers `fullSize`.
AxisRefAttr axisPart(AxisRefAttr axis, int64_t before, int64_t size,
                     int64_t fullSize);

} // namespace zenith::graph

#endif // ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_H
