// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges between given states as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDADJACENCY_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDADJACENCY_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

/// A module whose @main takes N distinct states, as buildBfs gives them for
/// these `starts`, and gives N x generators: the position of each state's
/// neighbour among them, -1 where it is none of them; tensor<?xGxi64>.
mlir::OwningOpRef<mlir::ModuleOp>
buildAdjacency(const StateGraph &graph, const std::vector<State> &starts,
               mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDADJACENCY_H
