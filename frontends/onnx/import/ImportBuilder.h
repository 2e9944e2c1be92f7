// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds GraphIR from dimension expressions: the caller writes `batch * 12`,
// this class finds or emits the scalars that dynamic types need. Ops are
// verified when they are made; the first error is kept and stops the import of
// the node.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_IMPORTBUILDER_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_IMPORTBUILDER_H

#include "frontends/onnx/model/ONNXModel.h"
#include "ir/GraphOps.h"
#include "ir/program/SizeChecks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace zenith::onnx {

using graph::DimExpr;
using graph::DimVector;
using mlir::Value;

/// Signed value of a constant, or nothing.
inline bool isConstant(const DimExpr &dim, int64_t value) {
  return dim.isConstant(value);
}
/// True where lhs < rhs for all sizes.
bool provablyLess(const DimExpr &lhs, const DimExpr &rhs);
/// True where dim >= 0 for all sizes.
bool provablyNatural(const DimExpr &dim);
/// Same value for all sizes.
inline bool sameDims(llvm::ArrayRef<DimExpr> lhs, llvm::ArrayRef<DimExpr> rhs) {
  return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end());
}

class ImportBuilder {
public:
  ImportBuilder(mlir::OpBuilder builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder builder;
  mlir::Location loc;

  //===-- errors --------------------------------------------------------===//
  void fail(Error error) {
    if (!firstError)
      firstError = std::move(error);
  }
  bool failed() const { return firstError.has_value(); }
  std::optional<Error> firstError;

  //===-- dimensions ----------------------------------------------------===//
  DimVector dims(Value value);
  /// States that a dynamic dimension of a value is `expr`, if the analysis
  /// cannot know it: loops and branches that keep a size.
  void assume(Value value, int64_t dim, const DimExpr &expr);
  /// The same for an integer scalar that counts from 0: an expression that is
  /// known not to be negative.
  DimExpr nameCount(Value scalar);
  /// True if every symbol can be read at the insertion point.
  bool canRead(const DimExpr &expr) const;
  mlir::RankedTensorType typeOf(llvm::ArrayRef<DimExpr> dims,
                                mlir::Type element);
  /// Product of dimensions.
  DimExpr product(llvm::ArrayRef<DimExpr> dims);
  /// The expression, or a symbol for its value where it has grown too large to
  /// reason about.
  DimExpr shortened(const DimExpr &expr);
  /// Remembers where the symbols of a value's dynamic dimensions can be read.
  void bindDims(Value value);
  /// tensor<i64> with the value of `expr`.
  Value scalar(const DimExpr &expr);
  llvm::SmallVector<Value> scalars(llvm::ArrayRef<DimExpr> exprs);
  /// One scalar per dimension that is not constant.
  llvm::SmallVector<Value> dynamicScalars(llvm::ArrayRef<DimExpr> dims);
  /// The integer that a tensor<i64> holds.
  DimExpr readScalar(Value value);

  //===-- conditions ----------------------------------------------------===//
  /// States that sizes are equal: nothing where that is proved, an error where
  /// they are constants that differ, else an assertion of the run.
  void requireEqual(const DimExpr &lhs, const DimExpr &rhs,
                    const llvm::Twine &what = "sizes");
  void requireOneOrEqual(const DimExpr &lhs, const DimExpr &rhs);
  void requireAtMost(const DimExpr &lhs, const DimExpr &rhs,
                     const llvm::Twine &what);
  /// lhs / rhs; states that nothing is left over.
  DimExpr divided(const DimExpr &lhs, const DimExpr &rhs,
                  const llvm::Twine &what);
  /// Words for the conditions of the node that is being imported.
  std::function<graph::SizeCheckSubject()> subject;

  //===-- constants -----------------------------------------------------===//
  Value constant(mlir::ElementsAttr value);
  /// Rank-0 constant of a float, integer or boolean type.
  Value scalarConstant(mlir::Type element, double value);
  /// The same, broadcast.
  Value filled(llvm::ArrayRef<DimExpr> dims, mlir::Type element, double value);
  Value intVector(llvm::ArrayRef<int64_t> values);

  //===-- movement ------------------------------------------------------===//
  /// Dimensions that are not 1 by their type have the size of the result's.
  Value broadcast(Value value, llvm::ArrayRef<int64_t> mapping,
                  llvm::ArrayRef<DimExpr> dims);
  /// Dimensions that are or turn out to be 1 are repeated.
  Value expand(Value value, llvm::ArrayRef<DimExpr> dims);
  /// Right-aligned, as NumPy: dimensions that turn out to be 1 at run time are
  /// repeated too.
  Value broadcastTo(Value value, llvm::ArrayRef<DimExpr> dims);
  /// The common shape of right-aligned operands; fails where static sizes
  /// differ.
  DimVector broadcastDims(llvm::ArrayRef<DimExpr> lhs,
                          llvm::ArrayRef<DimExpr> rhs);
  Value reshape(Value value, llvm::ArrayRef<DimExpr> dims);
  /// The value with `dims` as its type knows them; states that it has them.
  Value withShape(Value value, llvm::ArrayRef<DimExpr> dims);
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation);
  Value slice(Value value, llvm::ArrayRef<DimExpr> starts,
              llvm::ArrayRef<DimExpr> sizes, llvm::ArrayRef<int64_t> strides);
  /// `size` elements from `start` along one dimension.
  Value sliceDim(Value value, int64_t dim, const DimExpr &start,
                 const DimExpr &size, int64_t stride = 1);
  /// Adds copies of the scalar `fill` before and after; negative counts remove.
  Value pad(Value value, Value fill, llvm::ArrayRef<DimExpr> low,
            llvm::ArrayRef<DimExpr> high);
  Value concat(int64_t dim, llvm::ArrayRef<Value> values);
  Value iota(int64_t dim, llvm::ArrayRef<DimExpr> dims, mlir::Type element);
  Value reverse(Value value, int64_t dim);

  //===-- elementwise ---------------------------------------------------===//
  Value convert(Value value, mlir::Type element);
  template <typename Op> Value unary(Value value) {
    return emit<Op>(value.getType(), value);
  }
  /// Broadcasts both operands first.
  template <typename Op> Value binary(Value lhs, Value rhs) {
    std::tie(lhs, rhs) = broadcastPair(lhs, rhs);
    return emit<Op>(lhs.getType(), lhs, rhs);
  }
  /// With a constant of the operand's type.
  template <typename Op> Value binary(Value lhs, double rhs) {
    return binary<Op>(
        lhs, scalarConstant(mlir::getElementTypeOrSelf(lhs.getType()), rhs));
  }
  Value compare(graph::CompareDirection direction, Value lhs, Value rhs);
  Value select(Value pred, Value onTrue, Value onFalse);
  std::pair<Value, Value> broadcastPair(Value lhs, Value rhs);

  //===-- reduction -----------------------------------------------------===//
  Value reduce(graph::ReduceKind kind, Value value,
               llvm::ArrayRef<int64_t> dims, bool keepDims);
  /// Sum divided by the count; f16 and bf16 are summed in f32, since their sum
  /// may exceed the type.
  Value mean(Value value, llvm::ArrayRef<int64_t> dims, bool keepDims);

  /// Makes an op with one result of a known type. What its verifier refuses
  /// becomes the node's error and an opaque value of that type, so that the
  /// rest of the node's rule finds what it expects.
  template <typename Op, typename... Args>
  Value emit(mlir::Type type, Args &&...args) {
    if (failed())
      return opaque(type);
    auto op = builder.create<Op>(loc, type, std::forward<Args>(args)...);
    return checked(op.getOperation(), type);
  }
  /// The same for an op with any number of results.
  template <typename Op, typename... Args>
  llvm::SmallVector<Value> emitAll(mlir::TypeRange types, Args &&...args) {
    if (failed())
      return opaques(types);
    auto op = builder.create<Op>(loc, types, std::forward<Args>(args)...);
    return checkedAll(op.getOperation());
  }
  /// Verifies an op that was made with its regions; gives its results.
  llvm::SmallVector<Value> checkedAll(mlir::Operation *op);
  Value opaque(mlir::Type type);
  llvm::SmallVector<Value> opaques(mlir::TypeRange types);

  //===-- regions -------------------------------------------------------===//
  /// Remembers a value that was made where it was first read: outside of the
  /// current region it must be made again.
  void madeOnDemand(Value &value) { onDemand.push_back(&value); }
  /// Keeps an op with a region that a better assumption replaces until the
  /// import ends: the analysis knows values by their addresses, which must not
  /// come back.
  void discard(mlir::Operation *holder) { discarded.push_back(holder); }
  /// Inner ops were discarded before the ops around them.
  void eraseDiscarded() {
    for (mlir::Operation *holder : discarded)
      holder->erase();
    discarded.clear();
  }

private:
  friend class RegionGuard;
  void require(graph::SizeCondition condition);
  void requireSizesOf(mlir::Operation *op);
  /// Stands for the value in other dimensions once the import has failed: rules
  /// go on reading the rank that they expect.
  Value opaqueLike(Value value, llvm::ArrayRef<DimExpr> dims);
  Value checked(mlir::Operation *op, mlir::Type type);
  Value atomValue(const graph::DimAtom &atom);
  Value monomialValue(const DimExpr::Monomial &monomial, int64_t coefficient);
  template <typename Op> Value scalarOp(Value lhs, Value rhs);

  graph::DimAnalysis analysis;
  std::map<std::string, std::pair<Value, int64_t>>
      symbolDims;                             // symbol -> dimension of a value
  std::map<std::string, Value> symbolScalars; // symbol -> scalar read from data
  std::map<std::string, Value>
      scalarCache;                        // text of an expression -> its scalar
  std::map<std::string, DimExpr> assumed; // symbol -> what it equals
  std::map<std::string, std::string>
      shortNames; // text of a long expression -> the symbol that stands for it
  std::set<std::string> stated; // keys of conditions that hold here
  std::vector<Value *> onDemand;
  std::vector<mlir::Operation *> discarded;
  unsigned counts = 0;
};

/// Makes ops at the end of a block of a region; what was made there is
/// forgotten at the end of the guard's life.
class RegionGuard {
public:
  RegionGuard(ImportBuilder &b, mlir::Block *block);
  ~RegionGuard();
  RegionGuard(const RegionGuard &) = delete;
  RegionGuard &operator=(const RegionGuard &) = delete;

private:
  ImportBuilder &b;
  mlir::OpBuilder::InsertPoint insertion;
  std::map<std::string, std::pair<Value, int64_t>> symbolDims;
  std::map<std::string, Value> symbolScalars, scalarCache;
  std::set<std::string> stated;
  size_t onDemand;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_IMPORTBUILDER_H
