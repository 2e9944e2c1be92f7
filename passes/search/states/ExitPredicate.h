// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop over layers knows of its next turn before it has the next layer:
// the last layer's states need not be written down.

#ifndef ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H
#define ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H

#include "mlir/IR/IRMapping.h"
#include "passes/search/states/BfsLoop.h"

namespace zenith::search {

/// The parts of a loop's condition that depend on no state of the next layer,
/// such as whether another layer was asked for. Where they are false there is
/// no next turn.
class ExitPredicate {
public:
  /// Nothing where each part may depend on the next layer.
  static std::optional<ExitPredicate> find(const BfsLoop &growth);

  /// Whether these parts are true for what the body yields: a scalar of i1.
  /// `carried` has what stands for values carried other than states.
  mlir::Value build(mlir::OpBuilder &builder,
                    const mlir::IRMapping &carried) const;

private:
  explicit ExitPredicate(graph::WhileOp loop) : loop(loop) {}

  graph::WhileOp loop;
  llvm::SmallVector<mlir::Value> parts; ///< of the condition
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_EXITPREDICATE_H
