// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a graph as a user writes them.

#ifndef ZENITH_FRONTENDS_MODELS_SEARCHSTATES_H
#define ZENITH_FRONTENDS_MODELS_SEARCHSTATES_H

#include "frontends/cayley/StateGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class MLIRContext;
}

namespace zenith::models {

/// Each text is digits, numbers with commas, or @FILE.npy with one state or one
/// per row; errors where they don't fit the graph: another length, or a number
/// that the central state lacks, with the row, from 0 on.
llvm::Expected<std::vector<cayley::State>>
readStates(llvm::ArrayRef<std::string> texts, const cayley::StateGraph &graph,
           mlir::MLIRContext *context);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_SEARCHSTATES_H
