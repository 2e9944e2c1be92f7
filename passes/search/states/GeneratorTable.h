// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many generators as a table, so that the neighbours along all of them are one
// list and code size does not depend on their number.

#ifndef ZENITH_PASSES_SEARCH_STATES_GENERATORTABLE_H
#define ZENITH_PASSES_SEARCH_STATES_GENERATORTABLE_H

#include "passes/search/states/WordOps.h"

namespace zenith::search {

/// Lists with an element for each state and generator; elements of one state
/// are adjacent.
class GeneratorTable {
public:
  /// `bytes`: values below 256 by generator, as many for each. `like` has an
  /// element per state.
  GeneratorTable(mlir::OpBuilder &builder, mlir::Location location,
                 mlir::Value like,
                 llvm::ArrayRef<llvm::SmallVector<uint64_t>> bytes);

  /// Each state's element once per generator.
  mlir::Value ofStates(mlir::Value list) { return repeated(list, 0); }
  /// The generator's index.
  mlir::Value ofGenerators(llvm::ArrayRef<uint64_t> numbers);
  /// Entry `place` of the generator's bytes.
  mlir::Value byte(WordOps &ops, size_t place) const;

private:
  mlir::Value repeated(mlir::Value list, int64_t dim);

  mlir::OpBuilder &builder;
  mlir::Location location;
  int64_t generators;
  mlir::Value states, total;             ///< counts
  llvm::SmallVector<mlir::Value> packed; ///< eight bytes in each word
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_GENERATORTABLE_H
