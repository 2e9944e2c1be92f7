// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a loop's exit predicate that is known before the next layer is:
// the states of the last layer need not be stored.

#ifndef ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H
#define ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H

#include "mlir/IR/IRMapping.h"
#include "passes/search/states/BfsLoop.h"

namespace zenith::search {

/// The conjuncts of a loop's condition that depend on no state of the next
/// layer, such as a limit on the number of layers. Where one is false there is
/// no next iteration.
class ExitPredicate {
public:
  /// Nothing where each conjunct may depend on the next layer.
  static std::optional<ExitPredicate> find(const BfsLoop &bfs);

  /// Whether these conjuncts are true for the values that the body yields: a
  /// scalar of i1. `carried` maps the loop-carried values other than states.
  mlir::Value build(mlir::OpBuilder &builder,
                    const mlir::IRMapping &carried) const;

private:
  explicit ExitPredicate(graph::WhileOp loop) : loop(loop) {}

  graph::WhileOp loop;
  llvm::SmallVector<mlir::Value> conjuncts; ///< of the condition
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H
