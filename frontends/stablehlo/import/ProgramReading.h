// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of one program: values, regions, calls and errors that the rules
// of all ops share.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_PROGRAMREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_PROGRAMREADING_H

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/builder/HLOBuilder.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "frontends/stablehlo/shardings/ShardingReading.h"
#include "ir/Error.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::func {
class FuncOp;
}

namespace zenith::stablehlo {

class OpReading;
/// Sets the results of one op, or reports why it cannot.
using Rule = void (*)(OpReading &);
using RuleTable = llvm::StringMap<Rule>;

void addElementwiseRules(RuleTable &rules);
void addMovementRules(RuleTable &rules);
void addIndexingRules(RuleTable &rules);
void addDynamicRules(RuleTable &rules);
void addReductionRules(RuleTable &rules);
void addWindowRules(RuleTable &rules);
void addContractionRules(RuleTable &rules);
void addRaggedRules(RuleTable &rules);
void addNormalizationRules(RuleTable &rules);
void addOrderingRules(RuleTable &rules);
void addControlRules(RuleTable &rules);
void addRandomRules(RuleTable &rules);
void addDistributionRules(RuleTable &rules);
void addCollectiveRules(RuleTable &rules);
void addCustomCallRules(RuleTable &rules);
void addExpectationRules(RuleTable &rules);
void addCHLORules(RuleTable &rules);
void addSpecialFunctionRules(RuleTable &rules);
void addScanRules(RuleTable &rules);
void addQuantizationRules(RuleTable &rules);
void addSdyRules(RuleTable &rules);

/// Restricts quantized types to quantization and dequantization, and narrow
/// ones to conversions and movement.
void expressStored(mlir::ModuleOp module);
/// The integer type that stores a quantized or narrow type; other types are
/// unchanged.
Type storageType(Type element);

using Values = llvm::SmallVector<Value>;

/// How many copies of a program run, each on how many devices.
struct DeviceGrid {
  int64_t replicas = 1, partitions = 1;
};

class ProgramReading {
public:
  /// Sets the results of one op of the source, or reports why it cannot.
  using ImportOp = std::function<void(ProgramReading &, mlir::Operation &)>;
  ProgramReading(mlir::ModuleOp source, ImportOp importOp)
      : builder(source.getContext()), shardings(source), source(source),
        importOp(std::move(importOp)) {}

  llvm::Expected<ImportedProgram> run();

  //===-- errors ----------------------------------------------------------===//
  void fail(ErrorCode code, const llvm::Twine &message, mlir::Location loc);
  void failWith(llvm::Error error, mlir::Location loc);
  bool failed() const { return failure.has_value(); }

  //===-- values ----------------------------------------------------------===//
  /// The GraphIR values of a source value: one for a tensor, none for a token,
  /// one per part for a tuple.
  const Values &valuesOf(Value source) { return values[source]; }
  void setValues(Value source, Values list) {
    values[source] = std::move(list);
  }
  /// GraphIR types of a source type; fails if there is none.
  llvm::SmallVector<Type> typesOf(Type source, mlir::Location loc);
  llvm::SmallVector<Type> typesOf(mlir::TypeRange sources, mlir::Location loc);

  //===-- regions and calls
  //-------------------------------------------------===//
  /// Imports the ops of a block at the insertion point and gives the values of
  /// its terminator's operands. `arguments` are the block's, with tuples
  /// flattened.
  Values inlineBlock(mlir::Block &block, ValueRange arguments);
  Values inlineFunction(llvm::StringRef name, ValueRange arguments,
                        mlir::Location loc);
  /// Fills `region` with a block that takes `types` and yields the values that
  /// the source block returns, with the static sizes of `yields`.
  void importRegion(mlir::Region &source, mlir::Region &region,
                    mlir::TypeRange types, mlir::TypeRange yields = {});
  mlir::func::FuncOp function(llvm::StringRef name);
  /// Calls the function, which is imported after the ones that call it;
  /// nullopt where it takes other than the arguments' types.
  std::optional<Values> callFunction(llvm::StringRef name, ValueRange arguments,
                                     mlir::Location loc);

  mlir::OpBuilder builder;
  ShardingReading shardings;
  bool keepsValues = false; ///< as in ImportOptions
  /// Scalars of the current block represent tensors of this shape (map).
  Value liftedLike;
  /// Of a run_parallel whose functions are being read.
  std::optional<DeviceGrid> grid;
  /// Sequence number of random ops.
  unsigned randomOps = 0;
  std::vector<Expectation> expectations;
  Values expected; ///< pairs of values, one pair per expectation
  llvm::StringMap<Value> probes;
  unsigned regionDepth = 0;

private:
  void importFunction(mlir::func::FuncOp source);
  void checkModule();
  void checkRecursion(llvm::StringRef name);
  void setShardings(mlir::func::FuncOp from, mlir::func::FuncOp to);
  mlir::func::FuncOp beginFunction(mlir::func::FuncOp from, Values &arguments);
  void setArgument(mlir::func::FuncOp from, unsigned index,
                   llvm::ArrayRef<std::string> dims, mlir::func::FuncOp to,
                   unsigned position);

  mlir::ModuleOp source;
  mlir::OwningOpRef<mlir::ModuleOp> target;
  ImportOp importOp;
  llvm::DenseMap<Value, Values> values;
  llvm::SmallVector<llvm::StringRef> calls; ///< functions being inlined
  /// Called functions, in the order in which they are imported.
  llvm::SmallVector<llvm::StringRef> called;
  std::optional<Error> failure;
  std::vector<ImportedFunction> functions;
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_PROGRAMREADING_H
