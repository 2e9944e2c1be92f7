// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building blocks of search programs: states as rows, their neighbours, sets of
// rows.

#ifndef ZENITH_FRONTENDS_CAYLEY_STATEOPS_H
#define ZENITH_FRONTENDS_CAYLEY_STATEOPS_H

#include "frontends/cayley/StateGraph.h"
#include "ir/matchers/RowBuilder.h"
#include "ir/tensor/Tensor.h"

namespace mlir::func {
class FuncOp;
}

namespace zenith::cayley {

using graph::anySize;
using graph::RowBuilder;

/// Builds ops on states, which are rows of tensor<? x positions>.
class StateOps : public RowBuilder {
public:
  /// `starts` are states that the graph's central state does not reach, perhaps
  /// with larger numbers.
  StateOps(mlir::OpBuilder &builder, mlir::Location location,
           const StateGraph &graph, llvm::ArrayRef<State> starts);

  /// Any number of states.
  mlir::RankedTensorType rowsType() const;
  /// One state, 1 x positions.
  mlir::RankedTensorType rowType() const;

  mlir::Value constantStates(llvm::ArrayRef<State> states);
  /// Neighbours of N states along all G generators: N*G states, those of one
  /// state together, in the generators' order.
  mlir::Value expand(mlir::Value states);
  /// Each state once, in order of first occurrence.
  mlir::Value distinct(mlir::Value states);
  /// States that are in none of `sets`.
  mlir::Value without(mlir::Value states, llvm::ArrayRef<mlir::Value> sets);

  /// A step of a breadth-first loop.
  struct LayerStep {
    mlir::Value layer;   ///< the next one: neighbours that were not known
    mlir::Value earlier; ///< what the loop carries of earlier layers
    mlir::Value size;    ///< of the next layer
  };
  /// `earlier` holds all layers, the present one too, where `isAll`, and else
  /// the layer before.
  LayerStep nextLayer(mlir::Value layer, mlir::Value earlier, bool isAll);
  /// The list with one more size; the empty layer after the last one does not
  /// count.
  mlir::Value withSize(mlir::Value sizes, mlir::Value size);
  mlir::Value isPositive(mlir::Value number) {
    return compare(graph::CompareDirection::gt, number, this->number(0));
  }

private:
  mlir::Value expandPermutations(mlir::Value states);
  mlir::Value expandMatrices(mlir::Value states);

  const StateGraph &graph;
  /// ui8, ui16 or i64: the smallest that holds every number that a state can
  /// contain.
  mlir::Type stateElement;
};

/// States as the rows of one argument of a search program, whose type has the
/// positions and element of `type`.
Tensor stateRows(llvm::ArrayRef<State> states, mlir::RankedTensorType type);
inline Tensor stateRow(const State &state, mlir::RankedTensorType type) {
  return stateRows(state, type);
}

/// Gives arguments and results of an entry their public names.
void nameArguments(mlir::func::FuncOp function,
                   llvm::ArrayRef<llvm::StringRef> names);
void nameResults(mlir::func::FuncOp function,
                 llvm::ArrayRef<llvm::StringRef> names);

/// What a search keeps of its layers: for every state, in their order, a link,
/// which is parent * generators + generator, where the parent is a position in
/// its layer; and the sizes of layers. Searches from several ends take turns,
/// layer by layer.
struct History {
  mlir::Value links, sizes;
  int64_t ends = 1;
};

/// The generators of the path to a state, from the state back to its root.
/// `layer` is the position of the state's layer in the sizes, `offset` that of
/// its first link and `row` the state's position in it. The first layer of each
/// end is its root.
mlir::Value walkBack(RowBuilder &ops, const History &history, mlir::Value layer,
                     mlir::Value offset, mlir::Value row, int64_t generators);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_STATEOPS_H
