// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of export rules: exported values, builders of StableHLO ops by
// name, and the formulas that several families need.

#ifndef ZENITH_FRONTENDS_STABLEHLO_EXPORT_HLOEXPORT_H
#define ZENITH_FRONTENDS_STABLEHLO_EXPORT_HLOEXPORT_H

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/Error.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::func {
class FuncOp;
}

namespace zenith::stablehlo {

class HLOExport;
/// Writes one op; false after a failure.
using ExportRule = bool (*)(HLOExport &, mlir::Operation *);
using ExportRules = llvm::StringMap<ExportRule>;

void addElementwiseExports(ExportRules &rules);
void addMovementExports(ExportRules &rules);
void addIndexingExports(ExportRules &rules);
void addReductionExports(ExportRules &rules);
void addContractionExports(ExportRules &rules);
void addOrderingExports(ExportRules &rules);
void addControlExports(ExportRules &rules);
void addShardingExports(ExportRules &rules);

/// sdy.mesh of a graph.mesh.
bool exportMesh(HLOExport &out, mlir::Operation *op);
/// Shardings of arguments and results.
void exportShardings(mlir::func::FuncOp from, mlir::func::FuncOp to);

class HLOExport {
public:
  using Value = mlir::Value;
  using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;

  explicit HLOExport(mlir::MLIRContext *context);
  /// The rules of these ops take dynamic shapes.
  void allowDynamic(llvm::ArrayRef<llvm::StringLiteral> ops) {
    for (llvm::StringRef op : ops)
      dynamicOps.insert(op);
  }

  /// All ops of a block but its terminator, whose operands are returned by an
  /// op of this name.
  bool block(mlir::Block &from, mlir::Block &to, llvm::StringRef end);
  bool region(mlir::Region &from, mlir::Region &to);
  /// Parameters stay constants; null after a failure.
  std::function<mlir::ElementsAttr(mlir::Operation *)> paramValue;

  bool unsupported(mlir::Operation *op, const llvm::Twine &why = {});
  std::optional<Error> error;

  //===-- values ----------------------------------------------------------===//
  Value get(Value source) { return values.lookup(source); }
  Value operand(mlir::Operation *op, unsigned i = 0) {
    return get(op->getOperand(i));
  }
  llvm::SmallVector<Value> list(mlir::ValueRange sources);
  void set(mlir::Operation *op, mlir::ValueRange results);

  //===-- ops -------------------------------------------------------------===//
  mlir::Operation *makeOp(llvm::StringRef name, mlir::TypeRange types,
                          mlir::ValueRange operands, Attributes attributes = {},
                          unsigned regions = 0);
  Value make(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
             Attributes attributes = {});
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute dims(llvm::StringRef name, llvm::ArrayRef<int64_t> list);
  mlir::NamedAttribute intAttribute(llvm::StringRef name, int64_t value);
  /// An attribute of N x 2 integers.
  mlir::NamedAttribute padding(llvm::ArrayRef<int64_t> low,
                               llvm::ArrayRef<int64_t> high);

  Value constant(mlir::ElementsAttr value);
  Value splat(mlir::RankedTensorType type, double value);
  /// The smallest value of the element type, or the largest one.
  Value extreme(mlir::RankedTensorType type, bool largest);
  Value binary(llvm::StringRef name, Value lhs, Value rhs);
  Value compare(ComparisonDirection direction, Value lhs, Value rhs);
  Value convert(Value value, mlir::Type element);
  Value broadcast(Value value, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> mapping);
  Value slice(Value value, llvm::ArrayRef<int64_t> starts,
              llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);
  Value iota(mlir::RankedTensorType type, int64_t dim);
  /// Positions along a dimension of a value, in its shape.
  Value positions(Value value, mlir::Type element, int64_t dim);
  /// A vector of i64 entries: constants, and scalars of GraphIR for the
  /// dynamic ones, in order.
  Value indexVector(llvm::ArrayRef<int64_t> entries, mlir::ValueRange scalars);
  Value indexVector(llvm::ArrayRef<Value> entries);
  Value indexScalar(int64_t value);
  /// A dimension of a value as a scalar i64, and all of them as a vector.
  Value size(Value value, int64_t dim);
  Value shapeOf(Value value);
  /// Order and equality with NaN above all other values and equal to itself.
  Value before(Value lhs, Value rhs);
  Value same(Value lhs, Value rhs);
  Value isNaN(Value value);
  /// stablehlo.reduce of one value by an op of two operands.
  Value reduce(llvm::StringRef combiner, Value value, Value init,
               llvm::ArrayRef<int64_t> dims);
  /// The accumulator type of sums and products of these elements.
  mlir::Type accumulator(mlir::Type element);

  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  bool exportOp(mlir::Operation *op);
  /// Gives what was written for `op` its shardings.
  void annotate(mlir::Operation *op);
  bool writesDynamic(mlir::Operation *op) const;

  ExportRules rules;
  llvm::StringSet<> dynamicOps; ///< whose rules take dynamic shapes
  mlir::IRMapping values;
};

mlir::RankedTensorType tensorType(mlir::Value value);
/// The same shape with another element type.
mlir::RankedTensorType withElement(mlir::Type tensor, mlir::Type element);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_EXPORT_HLOEXPORT_H
