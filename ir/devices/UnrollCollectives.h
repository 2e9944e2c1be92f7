// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective as ops on the values of all its devices.

#ifndef ZENITH_IR_DEVICES_UNROLLCOLLECTIVES_H
#define ZENITH_IR_DEVICES_UNROLLCOLLECTIVES_H

#include "ir/devices/DeviceGroups.h"
#include "mlir/IR/Builders.h"
#include <functional>

namespace zenith::graph {

struct CollectiveUnrolling {
  mlir::OpBuilder &builder;
  mlir::Operation *op;
  /// As groupsOf gives them.
  llvm::ArrayRef<DeviceList> groups;
  /// The devices that run the op.
  llvm::ArrayRef<int64_t> active;
  /// The value that a device has for a value of the program of one device.
  std::function<mlir::Value(mlir::Value, int64_t)> valueOn;
  /// Says which value a device has for a result.
  std::function<void(mlir::Value, int64_t, mlir::Value)> set;
};

/// Fails with code Invalid where a group has another number of devices than the
/// op's types ask for, and with Unsupported where the region of a reduction is
/// not a formula of elements.
llvm::Error unrollCollective(const CollectiveUnrolling &unrolling);

/// `values` folded from the first on, elementwise: by `kind`, or by `body`,
/// which takes two scalars. Sums and products of f16, bf16 and f8 are rounded
/// once.
llvm::Expected<mlir::Value> foldValues(mlir::OpBuilder &builder,
                                       mlir::Operation *op,
                                       std::optional<ReduceKind> kind,
                                       mlir::Region *body,
                                       llvm::ArrayRef<mlir::Value> values);

} // namespace zenith::graph

#endif // ZENITH_IR_DEVICES_UNROLLCOLLECTIVES_H
