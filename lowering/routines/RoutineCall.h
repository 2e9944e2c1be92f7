// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose body is a call of a routine of the runtime
// (runtime/routines/Routines.h): pointers and numbers go to arrays on the
// stack.

#ifndef ZENITH_LOWERING_ROUTINES_ROUTINECALL_H
#define ZENITH_LOWERING_ROUTINES_ROUTINECALL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

class ElementEmitter;

class RoutineCall {
public:
  /// A kernel of the fusion; `suffix` tells several of one fusion apart.
  RoutineCall(const EmissionContext &context, llvm::StringRef routine,
              llvm::StringRef suffix = "");

  KernelBuilder kernel;

  /// Memory, or an address as an index; null is a null pointer.
  void pointer(mlir::Value memory) { pointers.push_back(memory); }
  /// Memory of a value of the body: an operand.
  void operand(mlir::Value value);
  /// Memory of the result that `value` is yielded as; null where it is not.
  void result(mlir::Value value);
  void scratch(unsigned index);
  void number(int64_t value) { numbers.push_back(kernel.index(value)); }
  void number(const graph::DimExpr &value) {
    numbers.push_back(kernel.size(value));
  }
  /// An index.
  void number(mlir::Value value) { numbers.push_back(value); }
  /// The bits of a scalar of the body.
  void bits(mlir::Value scalar);
  /// Code of a value's element type.
  void dtype(mlir::Value value);

  /// Calls, and ends the kernel. Fails where an operand is no memory.
  mlir::FailureOr<Launch> finish(graph::DimExpr tasks, double costPerTask);

private:
  mlir::Value list(llvm::ArrayRef<mlir::Value> entries);

  std::string routine;
  llvm::SmallVector<mlir::Value> pointers, numbers;
  bool failed = false;
};

/// The address of a kernel's task function, which exists after translation
/// only, for a routine to call.
mlir::Value addressOfTask(KernelBuilder &kernel, mlir::func::FuncOp task);

/// Bytes of an element in memory.
int64_t elementBytesOf(mlir::Value value);

/// Elements of a value as rows along dimension `dim`, dealt to slots.
struct RowLayout {
  RowLayout(graph::DimAnalysis &dims, mlir::Value value, int64_t dim);
  graph::DimExpr rows, length, distance, slots;
};

/// Slots for `count` pieces of work of `cost` each: enough to share, few enough
/// to be worth it.
graph::DimExpr slotsFor(const graph::DimExpr &count, double cost);

/// Exact bytes of each result of a fusion, with `dim` in place of what depends
/// on data.
llvm::SmallVector<graph::DimExpr> resultBytes(graph::FusionOp fusion,
                                              graph::DimAnalysis &dims,
                                              const graph::DimExpr &bound);

/// Says that dimension 0 of the first of `results` that is yielded is count 0,
/// at most `bound`; a null pointer where none is.
mlir::Value countDataRows(RoutineCall &call, KernelPlan &plan,
                          mlir::ValueRange results,
                          const EmissionContext &context,
                          const graph::DimExpr &bound);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ROUTINES_ROUTINECALL_H
