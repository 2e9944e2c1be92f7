// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of an op's operands and results as lists of factors, and how
// the answers of ShardingRule are written.

#ifndef ZENITH_PASSES_SHARDING_FACTORMAPPING_H
#define ZENITH_PASSES_SHARDING_FACTORMAPPING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace zenith::sharding {

/// What a device lacks for its block of the results where a factor is dealt.
enum class FactorKind {
  PassThrough,     ///< nothing: a dimension of operands and results alike
  Reduction,       ///< in operands only; each device gets a part of a fold
  NeedReplication, ///< all of the dimension
  Permutation      ///< parts of other devices' blocks
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  bool blocked = false; ///< shardings don't propagate along it
};

/// Factors of one dimension, from major to minor.
using DimFactors = llvm::SmallVector<unsigned, 2>;
/// One entry per dimension.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

struct FactorMapping {
  llvm::SmallVector<Factor> factors;
  /// One entry per operand and result of the op; scalars have no dimension.
  llvm::SmallVector<TensorFactors> operands, results;
  /// From the user, on a call of a routine.
  bool isCustom = false;

  bool empty() const { return factors.empty(); }
};

/// Collects factors of one op. Dimensions that get none have one of size 1 of
/// their own in the end. Operands and results without a dimension, and those
/// that are no ranked tensors, are passed over.
class MappingBuilder {
public:
  explicit MappingBuilder(mlir::Operation *op);

  /// A new factor; operand() and result() then say where it stands.
  MappingBuilder &factor(int64_t size,
                         FactorKind kind = FactorKind::PassThrough,
                         bool blocked = false);
  /// Appends the last factor to a dimension, as its minor-most so far.
  MappingBuilder &operand(unsigned index, int64_t dim);
  MappingBuilder &result(unsigned index, int64_t dim);
  /// Appends it to dimension `dim` of all operands or results with at least
  /// `rank` dimensions.
  MappingBuilder &operandsOfRank(int64_t rank, int64_t dim);
  MappingBuilder &results(int64_t dim);

  /// A factor for each dimension of the first result, in all operands and
  /// results of its rank.
  MappingBuilder &pointwise();

  FactorMapping take();

private:
  void append(llvm::SmallVectorImpl<TensorFactors> &tensors, unsigned index,
              int64_t dim);
  mlir::Operation *op;
  FactorMapping mapping;
};

/// The mapping of an elementwise op.
FactorMapping pointwiseMapping(mlir::Operation *op);

/// Sizes of the dimensions of a value; empty for what is no ranked tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// A mapping as Shardy writes it, `([i, j], [j, k])->([i, k]) {i=8, j=16, k=4}
/// reduction={j}`, with an entry for each operand and result of `op`; nullopt
/// if the text is none or does not fit the shapes.
std::optional<FactorMapping> parseFactorMapping(llvm::StringRef text,
                                                mlir::Operation *op);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_FACTORMAPPING_H
