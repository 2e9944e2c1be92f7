// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Collective family on the values of all devices that meet.

#ifndef ZENITH_IR_INTERPRETER_DEVICES_EVALCOLLECTIVE_H
#define ZENITH_IR_INTERPRETER_DEVICES_EVALCOLLECTIVE_H

#include "ir/devices/DeviceGroups.h"
#include "ir/interpreter/OpEvaluation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::interpreter {

/// The devices that wait for each other where `device` runs `op`, ascending:
/// its group; where values are sent, all that pairs tie together; itself alone
/// where it is in no group or asks for its position.
graph::DeviceList metBy(mlir::Operation *op,
                        llvm::ArrayRef<graph::DeviceList> groups,
                        int64_t device);

/// Evaluates an op on its operands.
using Evaluate = llvm::function_ref<llvm::Expected<Results>(
    mlir::Operation *, llvm::MutableArrayRef<Tensor>)>;

/// What each of `members` gets, of the operands that each gave.
llvm::Expected<std::vector<Results>> evaluateCollective(
    mlir::Operation *op, llvm::ArrayRef<graph::DeviceList> groups,
    llvm::ArrayRef<int64_t> members, llvm::ArrayRef<Results> given,
    RegionRunner &runner, Evaluate evaluate);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_DEVICES_EVALCOLLECTIVE_H
