// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search: a loop that carries the frontier, the states excluded
// from the next layer, and the sizes of layers.

#include "frontends/cayley/BuildBfs.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

namespace {

class BfsBuilder {
public:
  BfsBuilder(const StateGraph &graph, const BfsOptions &options,
             MLIRContext *context)
      : options(options), builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        ops(builder, location, graph, options.starts),
        needsAllLayers(options.kept.kind == KeptLayers::All ||
                       !graph.isInverseClosed()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Loop-carried values by position; then the list of sizes and the kept
  /// states, as far as there are any.
  enum Carried { layer, earlier, size, depth, others };

  Value shouldContinue(ValueRange carried);
  SmallVector<Value> nextLayer(ValueRange carried);
  SmallVector<Value> firstValues();
  Value keptStates(ValueRange last);
  bool isCarriedAside() const {
    return options.kept.kind == KeptLayers::Range ||
           (options.kept.kind == KeptLayers::Last && needsAllLayers);
  }
  Value inRange(Value depth) {
    return ops.both(ops.compare(graph::CompareDirection::ge, depth,
                                ops.number(options.kept.first)),
                    ops.compare(graph::CompareDirection::le, depth,
                                ops.number(options.kept.last)));
  }

  const BfsOptions &options;
  OpBuilder builder;
  Location location;
  StateOps ops;
  bool needsAllLayers; ///< `earlier` holds all layers, else the last but one
  Value limit;         ///< the last layer, where the program takes it
};

} // namespace

Value BfsBuilder::shouldContinue(ValueRange carried) {
  Value found = ops.isPositive(carried[size]);
  if (options.maxLayers < 0 && !limit)
    return found;
  Value last = limit ? limit : ops.number(options.maxLayers);
  return ops.both(
      found, ops.compare(graph::CompareDirection::lt, carried[depth], last));
}

SmallVector<Value> BfsBuilder::nextLayer(ValueRange carried) {
  StateOps::LayerStep step =
      ops.nextLayer(carried[layer], carried[earlier], needsAllLayers);
  Value newDepth = ops.add(carried[depth], ops.number(1));
  SmallVector<Value> values{step.layer, step.earlier, step.size, newDepth};
  if (options.listsSizes)
    values.push_back(ops.withSize(carried[others], step.size));
  if (options.kept.kind == KeptLayers::Range) {
    Value kept = ops.select(inRange(newDepth), step.size, ops.number(0));
    values.push_back(
        ops.concat(carried.back(), ops.part(step.layer, ops.number(0), kept)));
  } else if (isCarriedAside()) {
    values.push_back(carried[layer]);
  }
  return values;
}

SmallVector<Value> BfsBuilder::firstValues() {
  Value start = ops.distinct(ops.constantStates(options.starts));
  Value noStates = ops.constantStates({}), count = ops.count(start);
  SmallVector<Value> values{start, needsAllLayers ? start : noStates, count,
                            ops.number(0)};
  if (options.listsSizes)
    values.push_back(ops.asList(count));
  if (isCarriedAside())
    values.push_back(options.kept.kind == KeptLayers::Range &&
                             options.kept.first == 0
                         ? start
                         : noStates);
  return values;
}

Value BfsBuilder::keptStates(ValueRange last) {
  switch (options.kept.kind) {
  case KeptLayers::None:
    return {};
  case KeptLayers::All:
    return last[earlier];
  case KeptLayers::Range:
    return last.back();
  case KeptLayers::Last:
    break;
  }
  // The layer after the last one is empty.
  Value before = needsAllLayers ? last.back() : last[earlier];
  return ops.branch(
      ops.isPositive(last[size]), ops.rowsType(),
      [&]() -> SmallVector<Value> { return {last[layer]}; },
      [&]() -> SmallVector<Value> { return {before}; })[0];
}

OwningOpRef<ModuleOp> BfsBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> taken;
  if (options.takesLimit)
    taken.push_back(ops.type({}, ops.i64()));
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType(taken, {}));
  if (options.takesLimit)
    nameArguments(function, {"max_layers"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (options.takesLimit)
    limit = function.getArgument(0);
  SmallVector<Value> inits = firstValues();
  Type number = inits[size].getType();
  SmallVector<Type> types{ops.rowsType(), ops.rowsType(), number, number};
  if (options.listsSizes)
    types.push_back(ops.listType());
  if (isCarriedAside())
    types.push_back(ops.rowsType());
  ValueRange last = ops.loop(
      types, inits, [&](ValueRange carried) { return shouldContinue(carried); },
      [&](ValueRange carried) { return nextLayer(carried); });
  SmallVector<Value> values{last[options.listsSizes ? others : depth]};
  if (Value states = keptStates(last))
    values.push_back(states);
  function.setFunctionType(
      builder.getFunctionType(taken, ValueRange(values).getTypes()));
  builder.create<func::ReturnOp>(location, values);
  return module;
}

OwningOpRef<ModuleOp> buildBfs(const StateGraph &graph,
                               const BfsOptions &options,
                               MLIRContext *context) {
  return BfsBuilder(graph, options, context).build();
}

} // namespace zenith::cayley
