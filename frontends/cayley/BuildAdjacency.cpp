// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges between given states: indices of neighbours among all distinct
// rows.

#include "frontends/cayley/BuildAdjacency.h"

#include "frontends/cayley/StateOps.h"
#include "ir/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

OwningOpRef<ModuleOp> buildAdjacency(const StateGraph &graph,
                                     const std::vector<State> &starts,
                                     MLIRContext *context) {
  OpBuilder builder(context);
  Location location = NameLoc::get(builder.getStringAttr(graph.name));
  RowBuilder rows(builder, location);
  StateOps states(builder, location, graph, starts);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  int64_t generators = graph.generators();
  RankedTensorType result = rows.type({anySize, generators}, rows.i64());
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType(states.rowsType(), result));
  function.setArgAttr(0, graph::nameAttrName, builder.getStringAttr("states"));
  function.setResultAttr(0, graph::nameAttrName,
                         builder.getStringAttr("adjacency"));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value known = function.getArgument(0), n = rows.count(known);
  // The states come first and are distinct, so each has its own index among the
  // distinct rows; later rows are none of the states.
  Value all = rows.concat(known, states.expand(known));
  auto unique = builder.create<graph::UniqueOp>(
      location, states.rowsType(), rows.listType(), rows.listType(),
      rows.listType(), all);
  Value edges = rows.mul(n, rows.number(generators));
  Value places = rows.part(unique.getInverse(), n, edges);
  auto splat = [&](Value value) {
    return rows.broadcast(value, rows.listType(), {}, edges);
  };
  Value isKnown = rows.compare(graph::CompareDirection::lt, places, splat(n));
  Value neighbours = rows.select(isKnown, places, splat(rows.number(-1)));
  builder.create<func::ReturnOp>(location, rows.reshape(neighbours, result, n));
  return module;
}

} // namespace zenith::cayley
