// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of partitioning a function: the forms that each value has on one
// device, and what the rules of ops ask for.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_PARTITIONER_H
#define ZENITH_PASSES_SHARDING_PARTITION_PARTITIONER_H

#include "ir/CollectiveOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/sharding/partition/Reshard.h"
#include <memory>

namespace zenith::sharding {

/// A value of one device and what part of the whole it is.
struct Form {
  Layout layout;
  Value value;
};

/// A value of the program in the forms that were built of it.
struct Held {
  mlir::RankedTensorType whole;
  /// What propagation says; nothing where it says nothing.
  std::optional<Layout> wanted;
  /// The first is the one that its op gives.
  std::shared_ptr<llvm::SmallVector<Form>> forms;
  /// Builds any block from nothing: a constant, iota or broadcast scalar.
  mlir::Operation *remake = nullptr;
};

/// The name in the value's location, `argument K`, or the op that gives it.
std::string nameOf(Value value);
/// The user shardings that a value's axes came from: `input: 0, output: 1`;
/// "the program" where none is known.
std::string originsOf(Value value);

class Partitioner {
public:
  /// With `explain` what travels is said, as remarks SHD101 and up.
  Partitioner(DeviceAxes axes, mlir::MLIRContext *context, bool explain)
      : axes(std::move(axes)), b(context), explain(explain) {}

  /// The function of one device beside `whole`, under its name; `whole` goes.
  /// Arguments and results have attribute `graph.block`.
  llvm::Expected<mlir::func::FuncOp> run(mlir::func::FuncOp whole);

  //===-- values ----------------------------------------------------------===//
  /// The value in this layout; built where the form that is nearest was.
  Value request(Value value, const Layout &layout);
  double requestBytes(Value value, const Layout &layout);
  /// What the value has without asking: wanted, or the first form's dims.
  Layout layoutOf(Value value);
  void set(Value value, Layout layout, Value local);
  mlir::RankedTensorType wholeType(Value value) {
    return held.find(value)->second.whole;
  }
  std::optional<Layout> wantedLayout(Value value);
  LocalBuilder local(mlir::Location loc) { return {b, loc, axes}; }

  //===-- ops -------------------------------------------------------------===//
  llvm::Error block(mlir::Block &from);
  llvm::Error op(mlir::Operation &op);
  /// By the factors of ShardingRule; what they don't cover is gathered.
  llvm::Error byFactors(mlir::Operation &op);
  /// On whole operands.
  llvm::Error onWhole(mlir::Operation &op);
  /// Ops along a dealt dimension with neighbours' data; false where the op is
  /// none of these or its layout is not one that is known.
  bool byNeighbours(mlir::Operation &op);
  /// Convolutions and folds of windows, along dealt spatial dimensions.
  bool byWindows(mlir::Operation &op);
  /// The layout that the op's only result is built in: what is wanted of it, or
  /// whole.
  Layout targetLayout(mlir::Operation &op);
  /// Ops at positions that data give: the owner of a position acts.
  bool byOwner(mlir::Operation &op);
  llvm::Error loop(graph::WhileOp op);
  llvm::Error branch(mlir::Operation &op);
  llvm::Error manual(graph::ManualOp op);
  llvm::Error collective(mlir::Operation &op);

  DeviceAxes axes;
  mlir::OpBuilder b;
  bool explain;

private:
  /// Writes on the collectives that make `to` of `from` that `value` travels
  /// for the op that is being built.
  void sayReason(Value value, Value from, Value to) const;
  void explainReshard(Value value, const Form &from, const Layout &to,
                      llvm::ArrayRef<ReshardStep> steps);
  void explainPadding(mlir::Operation *function, llvm::StringRef role,
                      unsigned index, mlir::Type whole, const Layout &layout);
  Value build(mlir::Operation *remade, const Layout &layout);
  /// Captured values of the op's regions, whole, for a clone.
  void mapCaptured(mlir::Operation &op, mlir::IRMapping &mapping);

  llvm::DenseMap<Value, Held> held;
  /// The op of the program that is being built.
  mlir::Operation *consumer = nullptr;
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_PARTITIONER_H
