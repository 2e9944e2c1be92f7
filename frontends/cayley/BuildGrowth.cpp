// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first growth: a loop that carries the last layer, what it must not
// meet again, and the sizes.

#include "frontends/cayley/BuildGrowth.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

namespace {

class GrowthBuilder {
public:
  GrowthBuilder(const StateGraph &graph, const GrowthOptions &options,
                MLIRContext *context)
      : options(options), builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        ops(builder, location, graph, options.starts),
        needsAllLayers(options.keepLayers || !graph.isInverseClosed()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Carried values by position.
  enum Carried { layer, earlier, sizes, size, depth };

  void buildCondition(Block *block);
  void buildBody(Block *block);
  Value isPositive(Value number) {
    return builder.create<graph::CompareOp>(
        location, graph::CompareDirection::gt, number, ops.number(0));
  }

  const GrowthOptions &options;
  OpBuilder builder;
  Location location;
  StateOps ops;
  bool needsAllLayers; ///< `earlier` holds all layers, else the last but one
};

} // namespace

void GrowthBuilder::buildCondition(Block *block) {
  builder.setInsertionPointToStart(block);
  Value goesOn = isPositive(block->getArgument(size));
  if (options.maxLayers >= 0) {
    Value below = builder.create<graph::CompareOp>(
        location, graph::CompareDirection::lt, block->getArgument(depth),
        ops.number(options.maxLayers));
    goesOn = builder.create<graph::AndOp>(location, goesOn, below);
  }
  builder.create<graph::YieldOp>(location, goesOn);
}

void GrowthBuilder::buildBody(Block *block) {
  builder.setInsertionPointToStart(block);
  Value current = block->getArgument(layer),
        before = block->getArgument(earlier);
  // `before` contains the current layer where it holds all of them.
  SmallVector<Value> known{before};
  if (!needsAllLayers)
    known.push_back(current);
  Value next = ops.without(ops.distinct(ops.expand(current)), known);
  Value count = ops.count(next);
  // The empty layer behind the last one does not count.
  auto counted = builder.create<graph::CompactOp>(
      location, TypeRange(ops.listType()),
      builder.create<graph::ReshapeOp>(
          location, RankedTensorType::get({1}, builder.getI1Type()),
          isPositive(count), ValueRange()),
      ValueRange(ops.asList(count)));
  Value newSizes = ops.concat(block->getArgument(sizes), counted.getResult(0));
  Value newDepth = builder.create<graph::AddOp>(
      location, block->getArgument(depth), ops.number(1));
  builder.create<graph::YieldOp>(
      location,
      ValueRange{next, needsAllLayers ? ops.concat(before, next) : current,
                 newSizes, count, newDepth});
}

OwningOpRef<ModuleOp> GrowthBuilder::build() {
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
  auto loop = builder.create<graph::WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition =
      builder.createBlock(&loop.getCondition(), {}, types, places);
  Block *body = builder.createBlock(&loop.getBody(), {}, types, places);
  buildCondition(condition);
  buildBody(body);
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> values{loop.getResult(sizes)};
  if (options.keepLayers)
    values.push_back(loop.getResult(earlier));
  builder.create<func::ReturnOp>(location, values);
  return module;
}

OwningOpRef<ModuleOp> buildGrowth(const StateGraph &graph,
                                  const GrowthOptions &options,
                                  MLIRContext *context) {
  return GrowthBuilder(graph, options, context).build();
}

} // namespace zenith::cayley
