// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all devices of a mesh do: the program of one device on blocks, manual
// regions and collectives.

#ifndef ZENITH_IR_INTERPRETER_DEVICES_DEVICEPROGRAM_H
#define ZENITH_IR_INTERPRETER_DEVICES_DEVICEPROGRAM_H

#include "ir/GraphOps.h"
#include "ir/interpreter/devices/DeviceMeeting.h"
#include "ir/interpreter/devices/EvalCollective.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zenith::interpreter {

/// The mesh over which a program of one device is dealt (graph.block); null for
/// other programs.
graph::MeshAttr meshOfBlocks(mlir::func::FuncOp function);

/// Whole results of such a program from whole arguments; `call` runs it on a
/// device's blocks.
llvm::Expected<Results>
runOnBlocks(mlir::func::FuncOp function, graph::MeshAttr mesh,
            llvm::ArrayRef<Tensor> arguments,
            llvm::function_ref<llvm::Expected<Results>(DeviceMeeting &, int64_t,
                                                       Results)>
                call);

/// Runs a manual region of a program that is whole: `work` does so on one
/// device and gives the whole results.
llvm::Expected<Results> startDevices(
    graph::ManualOp op,
    llvm::function_ref<llvm::Expected<Results>(DeviceMeeting &, int64_t)> work);

/// A manual region on one device: `body` runs it on the device's blocks. The
/// devices that differ in the region's axes only meet at its end, where each
/// gets the whole results. Terms of sums as results are refused.
llvm::Expected<Results>
runManual(const OpEvaluation &e, DeviceMeeting &meeting, int64_t device,
          llvm::function_ref<llvm::Expected<Results>(Results)> body);

/// A collective on one device.
llvm::Expected<Results> runCollective(const OpEvaluation &e,
                                      DeviceMeeting &meeting, int64_t device,
                                      Evaluate evaluate);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_DEVICES_DEVICEPROGRAM_H
