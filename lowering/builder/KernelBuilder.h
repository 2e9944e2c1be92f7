// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one kernel function: pointer and size arguments on demand, index
// arithmetic, constants, loops.

#ifndef ZENITH_LOWERING_BUILDER_KERNELBUILDER_H
#define ZENITH_LOWERING_BUILDER_KERNELBUILDER_H

#include "lowering/builder/KernelPlan.h"
#include <map>

namespace zenith::kernels {

/// Type of an element in memory: i1 and i4 take a byte, bf16 and 8-bit floats
/// are integers of their bits, unsigned integers signless ones; a complex
/// element is two of its part.
mlir::Type memoryType(mlir::Type element);
/// Type of an element in registers: f32 for narrower floats (values already
/// rounded to the narrow type), i1 for i1.
mlir::Type registerType(mlir::Type element);
/// `scalar` or a vector of it with the lanes of `like` (a type).
mlir::Type typeLike(mlir::Type scalar, mlir::Type like);

class KernelBuilder {
public:
  KernelBuilder(graph::FusionOp fusion, graph::DimAnalysis &dims,
                const TargetModel &target, mlir::ModuleOp kernels,
                llvm::StringRef name);

  /// Inserts into the body; move it freely inside the function.
  mlir::OpBuilder b;
  mlir::Location loc;
  const TargetModel &target;
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;

  mlir::Value begin() const { return taskBegin; }
  mlir::Value end() const { return taskEnd; }
  /// Memory of an operand, result or scratch buffer: memref<1099511627776 x T>,
  /// T = memoryType. Operands that are one value share one argument.
  mlir::Value operand(unsigned index);
  mlir::Value result(unsigned index);
  mlir::Value scratch(unsigned index, mlir::Type memoryElement);
  /// Memory of one i64: the data-dependent dimension `index`, which the kernel
  /// computes.
  mlir::Value count(unsigned index);
  /// Memory of a value of the fusion's body: a block argument's operand.
  mlir::Value memoryOf(mlir::BlockArgument argument) {
    return operand(argument.getArgNumber());
  }
  /// An index value of the entry block: a constant or a size argument.
  mlir::Value size(const graph::DimExpr &expr);

  /// Constants live in the entry block, once each.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::Type type,
                       double value); ///< float scalar or vector
  mlir::Value integer(mlir::Type type,
                      int64_t value); ///< integer (or index) scalar or vector
  mlir::Value constant(mlir::TypedAttr value); ///< anything else

  /// Index arithmetic without signed overflow; constants are folded.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y); ///< both >= 0
  mlir::Value rem(mlir::Value x, mlir::Value y); ///< both >= 0
  /// `size` >= 0 as a divisor: at least 1, in the entry block for size
  /// arguments. A kernel that has elements to compute may have empty operands,
  /// whose sizes divide indices at which nothing is read.
  mlir::Value divisor(mlir::Value size);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  std::optional<int64_t> constantOf(mlir::Value x) const;

  /// Scalar to `lanes` lanes; vectors stay.
  mlir::Value broadcast(mlir::Value x, unsigned lanes);
  /// Mask of the first `count` of `lanes` lanes.
  mlir::Value mask(mlir::Value count, unsigned lanes);

  using Body = llvm::function_ref<void(mlir::Value iv)>;
  /// for iv = low; iv < high; iv += step.
  void loop(mlir::Value low, mlir::Value high, mlir::Value step, Body body);
  using CarryBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value iv, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high,
                                      mlir::Value step,
                                      mlir::ValueRange carried, CarryBody body);
  /// Emits `body` under `condition`.
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);
  /// Blocks of `lanes` lanes over [low, high): full ones with a null mask, then
  /// at most one masked one.
  void
  laneLoop(mlir::Value low, mlir::Value high, unsigned lanes,
           llvm::function_ref<void(mlir::Value start, mlir::Value mask)> body);

  /// Index of the result that a value of the fusion's body is yielded as.
  std::optional<unsigned> resultOf(mlir::Value value) const;

  /// Moves `b` after the entry block's constants. entryEndsWith() then tells
  /// the last op that was built there.
  void moveToEntry();
  void entryEndsWith(mlir::Operation *last) { lastEntryOp = last; }

  /// Ends the function and describes its launch.
  Launch finish(graph::DimExpr tasks, double costPerTask);
  mlir::func::FuncOp function() const { return func; }

private:
  mlir::Value pointer(PointerArg what, mlir::Type memoryElement);
  mlir::Value constantInEntry(mlir::TypedAttr value);
  /// The position in `sizes` of a size argument.
  std::optional<unsigned> sizeOf(mlir::Value x);

  mlir::func::FuncOp func;
  mlir::Value taskBegin, taskEnd;
  mlir::Operation *lastEntryOp = nullptr;
  llvm::SmallVector<PointerArg> pointers;
  llvm::SmallVector<graph::DimExpr> sizes;
  llvm::SmallVector<mlir::Value> divisors; ///< of `sizes`, where needed
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// Digits of `flat`, the last one fastest.
llvm::SmallVector<mlir::Value> digitsOf(KernelBuilder &kernel, mlir::Value flat,
                                        llvm::ArrayRef<graph::DimExpr> sizes);
graph::DimExpr productOf(llvm::ArrayRef<graph::DimExpr> sizes);

/// x * y + sum of numbers of one type; floats are rounded once where `fused`.
mlir::Value multiplyAdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::Value y, mlir::Value sum, bool fused);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_KERNELBUILDER_H
