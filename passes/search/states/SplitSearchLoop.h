// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a search into functions that share one state: its beginning, a step,
// some steps, and its results.

#ifndef ZENITH_PASSES_SEARCH_STATES_SPLITSEARCHLOOP_H
#define ZENITH_PASSES_SEARCH_STATES_SPLITSEARCHLOOP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/ArrayRef.h"

namespace zenith::search {

/// An attribute of @main, a list of names: the functions that it is cut into
/// once its loop has its final form.
inline constexpr llvm::StringLiteral splitAttrName = "search.entries";

/// The functions that a search can be cut into.
inline constexpr llvm::StringLiteral searchEntries[] = {"init", "step", "run",
                                                        "results"};

/// Replaces `main`, whose first loop is a search, by those of these functions
/// that `entries` names:
///   @init(arguments of main) -> state...
///   @step(state...) -> (i1 more, state...): one pass through the loop's body;
///   @run(state..., i64 limit) -> (i1 more, state...): at most `limit` of them;
///   @results(state...) -> results of main.
/// The state is what the loop carries, arguments "carried0" and so on, and then
/// what it or the results read of main's arguments, "captured0" and so on.
/// `more` is the loop's condition. An error where there is no loop.
mlir::LogicalResult splitSearchLoop(mlir::func::FuncOp main,
                                    llvm::ArrayRef<std::string> entries);

/// Cuts a function @main that has the attribute; other modules stay.
std::unique_ptr<mlir::Pass> createSplitSearchLoopPass();

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_SPLITSEARCHLOOP_H
