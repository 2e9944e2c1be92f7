// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A breadth-first loop that, beside the layers, carries the distances of given
// states.

#include "frontends/cayley/BuildDistances.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

namespace {

class DistanceBuilder {
public:
  DistanceBuilder(const StateGraph &graph, const DistanceOptions &options,
                  MLIRContext *context)
      : builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        ops(builder, location, graph, options.states), central(graph.central),
        needsAllLayers(!graph.isInverseClosed()),
        leavesCentralOut(options.leavesCentralOut) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Loop-carried values by position; `open` counts the states that no layer
  /// has had.
  enum Carried { layer, earlier, sizes, distances, size, depth, open };

  Value shouldContinue(ValueRange now);
  SmallVector<Value> nextLayer(ValueRange now, Value states);
  Value isIn(Value states, Value layer) {
    return builder.create<graph::IsInOp>(
        location, ops.type({ShapedType::kDynamic}, builder.getI1Type()), states,
        layer);
  }
  /// `depth` where a state is in the layer of that depth, else as before.
  Value withDepth(Value isInLayer, Value distances, Value depth) {
    Value n = ops.count(distances);
    return ops.select(isInLayer, ops.broadcast(depth, ops.listType(), {}, n),
                      distances);
  }
  /// Every state is in one layer at most.
  Value withoutThose(Value open, Value isInLayer) {
    return ops.sub(open, ops.fold(graph::ReduceKind::sum,
                                  ops.convert(isInLayer, ops.i64()), {0}));
  }
  OpBuilder builder;
  Location location;
  StateOps ops;
  State central;
  bool needsAllLayers;   ///< `earlier` holds all layers, else the last but one
  bool leavesCentralOut; ///< of the states
  Value limit;
};

} // namespace

Value DistanceBuilder::shouldContinue(ValueRange now) {
  Value goesOn = ops.both(ops.isPositive(now[size]), ops.isPositive(now[open]));
  return ops.both(goesOn,
                  ops.compare(graph::CompareDirection::lt, now[depth], limit));
}

SmallVector<Value> DistanceBuilder::nextLayer(ValueRange now, Value states) {
  StateOps::LayerStep step =
      ops.nextLayer(now[layer], now[earlier], needsAllLayers);
  Value steps = ops.add(now[depth], ops.number(1));
  Value isReached = isIn(states, step.layer);
  return {step.layer,
          step.earlier,
          ops.withSize(now[sizes], step.size),
          withDepth(isReached, now[distances], steps),
          step.size,
          steps,
          withoutThose(now[open], isReached)};
}

OwningOpRef<ModuleOp> DistanceBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  Type list = ops.listType();
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType({ops.rowsType(), ops.type({}, ops.i64())},
                              {list, list}));
  nameArguments(function, {"states", "max_steps"});
  nameResults(function, {"distances", "sizes"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  limit = function.getArgument(1);
  Value states = function.getArgument(0), start = ops.constantStates({central}),
        one = ops.number(1), zero = ops.number(0);
  Value count = ops.count(states);
  Value first = ops.broadcast(ops.number(-1), ops.listType(), {}, count),
        farther = count;
  if (!leavesCentralOut) {
    Value isStart = ops.equalRows(
        states, ops.reshape(start,
                            ops.type({int64_t(central.size())},
                                     ops.rowsType().getElementType()),
                            {}));
    first = withDepth(isStart, first, zero);
    farther = withoutThose(count, isStart);
  }
  SmallVector<Value> inits{start,
                           needsAllLayers ? start : ops.constantStates({}),
                           ops.asList(one),
                           first,
                           one,
                           zero,
                           farther};
  SmallVector<Type> types{ops.rowsType(), ops.rowsType(), list,         list,
                          one.getType(),  one.getType(),  one.getType()};
  ValueRange last = ops.loop(
      types, inits, [&](ValueRange now) { return shouldContinue(now); },
      [&](ValueRange now) { return nextLayer(now, states); });
  builder.create<func::ReturnOp>(location,
                                 ValueRange{last[distances], last[sizes]});
  return module;
}

OwningOpRef<ModuleOp> buildDistances(const StateGraph &graph,
                                     const DistanceOptions &options,
                                     MLIRContext *context) {
  return DistanceBuilder(graph, options, context).build();
}

} // namespace zenith::cayley
