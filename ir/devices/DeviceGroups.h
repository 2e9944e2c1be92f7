// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices meet in a collective.

#ifndef ZENITH_IR_DEVICES_DEVICEGROUPS_H
#define ZENITH_IR_DEVICES_DEVICEGROUPS_H

#include "ir/GraphDialect.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace zenith::graph {

/// Devices in the order in which they stand in a group.
using DeviceList = llvm::SmallVector<int64_t>;

/// Device at each position of the mesh in row-major order.
DeviceList devicesOf(MeshAttr mesh);

/// The position of mesh position `position` along `axes`, first axis slowest.
/// Precondition: the mesh has these axes.
int64_t positionAlong(MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> axes,
                      int64_t position);

/// Devices that differ in `axes` only: one list for each group, in it by their
/// position along the axes, first axis slowest.
std::vector<DeviceList> axisGroups(MeshAttr mesh,
                                   llvm::ArrayRef<AxisRefAttr> axes);

/// `x` or `x:(1)2` as an axis of `mesh`; null where the mesh has none such.
AxisRefAttr parseAxis(MeshAttr mesh, llvm::StringRef text);

/// Groups of an op of the Collective family that runs on `devices` devices. For
/// a permutation: pairs of source and target. Fails with code Invalid where the
/// mesh is unknown or a device is out of range.
llvm::Expected<std::vector<DeviceList>> groupsOf(mlir::Operation *op,
                                                 int64_t devices);

} // namespace zenith::graph

#endif // ZENITH_IR_DEVICES_DEVICEGROUPS_H
