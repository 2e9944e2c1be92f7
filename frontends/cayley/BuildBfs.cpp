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
        needsAllLayers(options.keepLayers || !graph.isInverseClosed()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Loop-carried values by position.
  enum Carried { layer, earlier, sizes, size, depth };

  Value shouldContinue(ValueRange carried);
  SmallVector<Value> nextLayer(ValueRange carried);
  Value isPositive(Value number) {
    return ops.compare(graph::CompareDirection::gt, number, ops.number(0));
  }

  const BfsOptions &options;
  OpBuilder builder;
  Location location;
  StateOps ops;
  bool needsAllLayers; ///< `earlier` holds all layers, else the last but one
};

} // namespace

Value BfsBuilder::shouldContinue(ValueRange carried) {
  Value found = isPositive(carried[size]);
  if (options.maxLayers < 0)
    return found;
  Value below = ops.compare(graph::CompareDirection::lt, carried[depth],
                            ops.number(options.maxLayers));
  return ops.both(found, below);
}

SmallVector<Value> BfsBuilder::nextLayer(ValueRange carried) {
  Value current = carried[layer], before = carried[earlier];
  // `before` contains the current layer where it holds all of them.
  SmallVector<Value> known{before};
  if (!needsAllLayers)
    known.push_back(current);
  Value next = ops.without(ops.distinct(ops.expand(current)), known);
  Value count = ops.count(next);
  // The empty layer after the last one does not count.
  Value counted =
      ops.keep(ops.asList(isPositive(count)), ops.asList(count)).front();
  Value newSizes = ops.concat(carried[sizes], counted);
  Value newDepth = ops.add(carried[depth], ops.number(1));
  return {next, needsAllLayers ? ops.concat(before, next) : current, newSizes,
          count, newDepth};
}

OwningOpRef<ModuleOp> BfsBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> results{ops.listType()};
  if (options.keepLayers)
    results.push_back(ops.rowsType());
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType({}, results));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value start = ops.distinct(ops.constantStates(options.starts));
  Value noStates = ops.constantStates({});
  Value count = ops.count(start);
  SmallVector<Value> inits{start, needsAllLayers ? start : noStates,
                           ops.asList(count), count, ops.number(0)};
  SmallVector<Type> types{ops.rowsType(), ops.rowsType(), ops.listType(),
                          count.getType(), count.getType()};
  ValueRange grown = ops.loop(
      types, inits, [&](ValueRange carried) { return shouldContinue(carried); },
      [&](ValueRange carried) { return nextLayer(carried); });
  SmallVector<Value> values{grown[sizes]};
  if (options.keepLayers)
    values.push_back(grown[earlier]);
  builder.create<func::ReturnOp>(location, values);
  return module;
}

OwningOpRef<ModuleOp> buildBfs(const StateGraph &graph,
                               const BfsOptions &options,
                               MLIRContext *context) {
  return BfsBuilder(graph, options, context).build();
}

} // namespace zenith::cayley
