// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the host program of one planned function.

#ifndef ZENITH_LOWERING_PROGRAM_PROGRAMBUILDER_H
#define ZENITH_LOWERING_PROGRAM_PROGRAMBUILDER_H

#include "ir/liveness/Liveness.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/program/KernelCache.h"
#include "lowering/program/ShapeGuards.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace zenith::pipeline {

class ProgramBuilder {
public:
  /// With `explainsFallbacks` each kernel that only the host can run is a
  /// remark.
  ProgramBuilder(mlir::func::FuncOp function, KernelCache &table,
                 const memory::ModuleContext &context, bool explainsFallbacks)
      : function(function), table(table), context(context), builder(function),
        explainsFallbacks(explainsFallbacks),
        isPrepare(function.getName() == graph::prepareFunctionName),
        isNested(function->hasAttr(host::nestedAttrName)),
        host(function, dims) {}

  /// Replaces the function by its program; failure has been reported at an op.
  mlir::LogicalResult build();

private:
  // The program (BuildHostProgram.cpp).
  mlir::LogicalResult readAssignment();
  mlir::ArrayAttr describe(mlir::ValueRange values, bool results);
  mlir::ArrayAttr scalarArguments();
  mlir::ArrayAttr knownGuards();
  mlir::DictionaryAttr certificate(mlir::func::ReturnOp ret);
  mlir::LogicalResult addStep(mlir::Operation &op);
  mlir::LogicalResult returnValues(mlir::func::ReturnOp ret);

  // Kernels and their memory (LaunchSteps.cpp).
  AliasPattern sharingOf(graph::FusionOp fusion) const;
  llvm::SmallBitVector unreadOf(graph::FusionOp fusion) const;
  mlir::LogicalResult launch(graph::FusionOp fusion);
  mlir::LogicalResult guardReads(graph::FusionOp fusion);
  mlir::LogicalResult writeScalars(graph::FusionOp fusion);
  mlir::FailureOr<host::BufferAttr>
  pointerBuffer(graph::FusionOp fusion, const kernels::PointerArg &arg,
                unsigned firstCell);
  graph::DimExpr pointerBytes(graph::FusionOp fusion, const SharedPlan &plan,
                              const kernels::PointerArg &arg);
  graph::DimExpr leastBytes(graph::FusionOp fusion, const SharedPlan &plan,
                            const SharedLaunch &launch);
  mlir::LogicalResult allocateMemory(graph::FusionOp fusion,
                                     const SharedPlan &plan);
  mlir::LogicalResult allocateResult(mlir::OpResult result,
                                     const graph::DimExpr &bytes);
  bool takesArgument(mlir::Operation *op, host::BufferAttr result);
  mlir::LogicalResult allocate(host::BufferAttr buffer,
                               const graph::DimExpr &bytes, bool isLate,
                               mlir::Operation *op);
  void deallocateAfter(mlir::Operation *op);
  mlir::LogicalResult bindCounts(graph::FusionOp fusion, const SharedPlan &plan,
                                 unsigned firstCell);

  // Scalars and control (ControlSteps.cpp).
  mlir::FailureOr<graph::DimExpr> scalarOf(mlir::Value value,
                                           mlir::Operation *user);
  host::BufferAttr cellOf(mlir::Value value, mlir::Operation *user);
  std::string symbolFor(mlir::Value value);
  void learn(llvm::StringRef symbol);
  void addKnownGuards(mlir::Operation *step);
  void learnDims(mlir::Value value);
  mlir::LogicalResult evaluate(mlir::Operation *op);
  mlir::LogicalResult fetch(mlir::Value input, mlir::OpResult result);
  mlir::LogicalResult readShared(host::SharedOp read);
  mlir::FailureOr<mlir::ArrayAttr> sharesOf(mlir::ValueRange values,
                                            mlir::Operation *op);
  mlir::LogicalResult pass(graph::BarrierOp barrier);
  mlir::LogicalResult transfer(graph::PlaceOp place);
  mlir::LogicalResult moveRow(mlir::Operation *op, mlir::Value row,
                              mlir::Value index, mlir::Type stack,
                              int64_t offset, bool isWrite);
  mlir::LogicalResult startTransfer(mlir::Operation *op, mlir::Value memory,
                                    host::BufferAttr file, bool isWrite);
  mlir::LogicalResult await(graph::BarrierOp barrier);
  mlir::LogicalResult check(graph::AssertOp op);
  mlir::LogicalResult addEarlyChecks();
  mlir::LogicalResult branch(host::BranchOp op);
  mlir::LogicalResult loop(host::LoopOp op);
  mlir::FailureOr<mlir::Attribute>
  placeOf(mlir::Value value, mlir::Operation *op, llvm::StringRef verb);
  mlir::FailureOr<mlir::ArrayAttr> argumentsOf(mlir::ValueRange values,
                                               mlir::Operation *op);
  mlir::FailureOr<mlir::ArrayAttr>
  outcomesOf(mlir::Operation *op, llvm::ArrayRef<host::BufferAttr> second);
  mlir::LogicalResult allocateOutcomes(mlir::Operation *op);
  void learnResults(mlir::Operation *op);

  // Vocabulary.
  /// A symbol of the expression that no argument gives and no step has bound
  /// yet (the last one that it names).
  std::optional<std::string> missingSymbol(const graph::DimExpr &expr) const;
  bool isKnown(const graph::DimExpr &expr) const {
    return !missingSymbol(expr);
  }
  mlir::LogicalResult checkSymbols(const graph::DimExpr &expr,
                                   mlir::Operation *op);
  host::BufferAttr buffer(host::BufferKind kind, int64_t index) const {
    return host::BufferAttr::get(
        builder.getContext(), kind, index,
        graph::DimAttr::get(builder.getContext(), graph::DimExpr(0)));
  }
  mlir::ArrayAttr dimArray(llvm::ArrayRef<graph::DimExpr> exprs);
  /// The expression as an attribute. build() fails where one is too long to be
  /// read back from a dump.
  graph::DimAttr dim(const graph::DimExpr &expr);

  mlir::func::FuncOp function;
  KernelCache &table;
  const memory::ModuleContext &context;
  mlir::OpBuilder builder;
  bool explainsFallbacks, isPrepare, isNested;
  graph::DimAnalysis dims;
  liveness::HostValues host;
  llvm::DenseMap<mlir::Value, host::BufferAttr> buffers;
  struct Assignment {
    llvm::SmallVector<host::BufferAttr> scratch;
    host::BufferAttr nestedArena;
    llvm::SmallVector<int64_t> deallocs;
  };
  llvm::DenseMap<mlir::Operation *, Assignment> assignments;
  llvm::SmallVector<mlir::Attribute> constants;
  llvm::StringSet<> known; ///< symbols that arguments give or steps bound
  std::vector<ShapeGuard> guards; ///< that waited for symbols at first
  /// Guards by one of the symbols that they wait for.
  llvm::StringMap<llvm::SmallVector<size_t, 1>> waiting;
  /// Guards whose symbol has been bound since guards were last emitted.
  llvm::SmallVector<size_t> woken;
  std::set<size_t> ready; ///< guards whose symbols are known
  llvm::DenseMap<mlir::Value, std::string> symbols; ///< of the host's scalars
  llvm::DenseMap<mlir::Value, unsigned> cells;
  unsigned cellCount = 0, computed = 0;
  /// Values in memory that a file gets or gives, with the transfers started
  /// until then.
  llvm::DenseMap<mlir::Value, unsigned> transfers;
  unsigned transferCount = 0;
  llvm::DenseSet<graph::DimAttr> writtenDims;
  bool hasUnreadableDim = false;
  llvm::DenseSet<mlir::Operation *> early; ///< ops that addEarlyChecks took
  llvm::DenseSet<int64_t> liveSlots, allocatedResults;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_PROGRAMBUILDER_H
