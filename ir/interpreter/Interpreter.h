// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference meaning of GraphIR: runs a function on tensors, op by op.

#ifndef ZENITH_IR_INTERPRETER_INTERPRETER_H
#define ZENITH_IR_INTERPRETER_INTERPRETER_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <limits>
#include <string>

namespace mlir::func {
class FuncOp;
}

namespace zenith::interpreter {

struct Options {
  /// Called first for each parameter; an empty tensor means "take the source's
  /// inline elements".
  std::function<llvm::Expected<Tensor>(llvm::StringRef name,
                                       mlir::RankedTensorType type,
                                       mlir::Attribute source)>
      loadParam;
  /// Called after each op outside of fusion regions (inside too, if
  /// `insideFusions`), each time that it runs; not for ops on single elements.
  std::function<void(mlir::Operation *op, llvm::ArrayRef<Tensor> results)>
      onResult;
  bool insideFusions = false;
  /// Limit of the bytes of one result; a larger one is an error.
  int64_t maxTensorBytes = int64_t(8) << 30;
  /// What the system has for values, in bytes; asked each time that values of
  /// 64 MiB have been made. Without it nothing but maxTensorBytes limits.
  std::function<int64_t()> availableBytes;
  /// Limit of the steps of one loop; more steps are an error.
  int64_t maxLoopSteps = std::numeric_limits<int64_t>::max();
};

/// Results of `function`, in order. Errors are LLVMErrors or what loadParam
/// gave. @prepare runs on demand, once per call. All devices of a mesh run a
/// program of one device (graph.block); arguments and results are whole then,
/// and loadParam is called for each device.
llvm::Expected<std::vector<Tensor>> run(mlir::func::FuncOp function,
                                        llvm::ArrayRef<Tensor> arguments,
                                        const Options &options = {});

/// Results of one op on given operands, without parameters, calls, captured
/// values or long loops: constant folding uses it.
llvm::Expected<std::vector<Tensor>> evaluate(mlir::Operation *op,
                                             llvm::ArrayRef<Tensor> operands);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_INTERPRETER_H
