// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program that does the work of N devices in lock step: every op once for
// each device, collectives as ops on the values of all of them.

#ifndef ZENITH_IR_DEVICES_UNROLLDEVICES_H
#define ZENITH_IR_DEVICES_UNROLLDEVICES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace zenith::graph {

/// Values by device, of each argument or result.
using DeviceValues = std::vector<llvm::SmallVector<mlir::Value>>;

/// Builds at `builder` the ops of `body` for each of `arguments.size()`
/// devices, where `arguments[d]` are the block's arguments on device d, and
/// gives `results[d]`, the values of its terminator. Devices whose values are
/// one value share the op. Values that the body takes from outside are the
/// same on all devices. Sums over devices run in the order of their group.
/// Fails with code Invalid on groups that cannot be, and Unsupported by name.
llvm::Expected<DeviceValues> unrollDevices(mlir::OpBuilder &builder,
                                           mlir::Block &body,
                                           const DeviceValues &arguments);

} // namespace zenith::graph

#endif // ZENITH_IR_DEVICES_UNROLLDEVICES_H
