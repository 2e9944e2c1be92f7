// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of small integers as formulas over the elements of another row, as a
// neighbour's over a state's.

#ifndef ZENITH_PASSES_SEARCH_STATES_ROWFORMULAS_H
#define ZENITH_PASSES_SEARCH_STATES_ROWFORMULAS_H

#include "ir/GraphOps.h"
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace zenith::search {

/// A value computed from the elements of one row. Operands are indices of
/// formulas.
struct Formula {
  enum Kind { Element, Number, Add, Mul, Rem } kind;
  int64_t left = 0;  ///< Element: which; Number: its value
  int64_t right = 0; ///< Rem: the divisor itself
  /// No value is below 0 or above this, where elements are at most
  /// RowFormulas::largest.
  uint64_t bound = 0;
};

/// Formulas are uniqued.
class RowFormulas {
public:
  /// Rows of `rows` [N, n] have elements of 0 .. largest.
  RowFormulas(mlir::Value rows, uint64_t largest, graph::DimAnalysis &dims);

  /// The formulas of the elements of `value`, which has a whole number of
  /// elements per row, row after row; nullopt where one has no formula.
  std::optional<std::vector<int64_t>> elementsOf(mlir::Value value);

  const Formula &operator[](int64_t formula) const {
    return formulas[size_t(formula)];
  }
  uint64_t largest() const { return largestElement; }

private:
  using Index = std::optional<int64_t>;
  /// The formulas of a value.
  struct Row {
    /// Elements per row, by dimension after the first; none for values that are
    /// not computed from rows.
    std::optional<llvm::SmallVector<int64_t>> shape;
    bool isElementwise = false;
    /// Whole columns of a matrix that a gather takes.
    std::optional<std::vector<int64_t>> columns;
    /// By element; -1 where it is not computed yet.
    std::vector<Index> answers;
  };
  Row &row(mlir::Value value);
  Index element(mlir::Value value, int64_t place);
  Index moved(mlir::Operation *op, int64_t place);
  Index gathered(graph::GatherOp op, int64_t place);
  Index sliced(graph::SliceOp op, int64_t place);
  Index broadcasted(graph::BroadcastOp op, int64_t place);
  Index computed(mlir::Operation *op, int64_t place);
  Index add(int64_t left, int64_t right);
  Index mul(int64_t left, int64_t right);
  Index remainder(int64_t left, int64_t divisor);
  Index intern(Formula formula);
  Index number(int64_t value);
  std::optional<llvm::SmallVector<int64_t>> rowShape(mlir::Value value);
  std::optional<std::vector<int64_t>> columnsOf(graph::GatherOp op);

  mlir::Value rows;
  uint64_t largestElement;
  graph::DimAnalysis &dims;
  int64_t places = 0; ///< elements of all values
  std::vector<Formula> formulas;
  std::map<std::tuple<int, int64_t, int64_t>, int64_t> known;
  std::vector<Index> elements; ///< formulas of `rows`, by element
  llvm::DenseMap<mlir::Value, std::unique_ptr<Row>> memo;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_ROWFORMULAS_H
