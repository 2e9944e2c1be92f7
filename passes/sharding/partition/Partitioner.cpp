// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of values, and the ops that hold a program together: functions, loops,
// branches, manual regions.

#include "passes/sharding/partition/Partitioner.h"

#include "ir/LocationText.h"
#include "ir/devices/BlockAttr.h"
#include "ir/program/Shardings.h"
#include "ir/remarks/Remark.h"
#include "passes/sharding/PropagateShardings.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static llvm::Error refuse(Operation &op, const Twine &what) {
  return makeError(ErrorCode::Unsupported,
                   "'" + op.getName().getStringRef() + "' " + what +
                       " is not supported on a mesh of devices",
                   graph::placeOf(op.getLoc()));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Layout> Partitioner::wantedLayout(Value value) {
  graph::ShardingAttr sharding = graph::shardingOf(value);
  if (!sharding)
    return std::nullopt;
  return axes.layoutOf(sharding);
}

void Partitioner::set(Value value, Layout layout, Value localValue) {
  Held &entry = held[value];
  entry.whole = tensorTypeOf(value);
  entry.wanted = wantedLayout(value);
  entry.forms = std::make_shared<SmallVector<Form>>();
  entry.forms->push_back({std::move(layout), localValue});
}

Layout Partitioner::layoutOf(Value value) {
  const Held &entry = held.find(value)->second;
  if (entry.wanted)
    return *entry.wanted;
  if (entry.remake)
    return Layout::whole(entry.whole.getRank());
  Layout layout = entry.forms->front().layout;
  layout.partial.clear();
  return layout;
}

// A constant, iota or broadcast scalar, of the block that `layout` names.
Value Partitioner::build(Operation *op, const Layout &layout) {
  LocalBuilder x = local(op->getLoc());
  RankedTensorType whole = tensorTypeOf(op->getResult(0));
  RankedTensorType type = axes.blockType(whole, layout);
  if (auto iota = dyn_cast<graph::IotaOp>(op)) {
    Value own = b.create<graph::IotaOp>(op->getLoc(), type, iota.getDim(),
                                        ValueRange());
    const Atoms &dealt = layout.dims[iota.getDim()];
    if (dealt.empty())
      return own;
    int64_t block = type.getDimSize(iota.getDim());
    Value start = x.mul(x.blockIndex(dealt), block);
    Type element = type.getElementType();
    auto scalarType = RankedTensorType::get({}, element);
    if (element != start.getType())
      start = b.create<graph::ConvertOp>(op->getLoc(), scalarType, start);
    return x.add(own, x.fill(type, start));
  }
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
    return x.fill(type, request(broadcast.getOperand(), Layout::whole(0)));
  auto constant = cast<graph::ConstantOp>(op);
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
      dense && dense.isSplat()) {
    Value scalar = b.create<graph::ConstantOp>(
        op->getLoc(),
        dense.resizeSplat(RankedTensorType::get({}, whole.getElementType())));
    return x.fill(type, scalar);
  }
  Value all = b.clone(*op)->getResult(0);
  Layout from = Layout::whole(whole.getRank());
  return reshard(x, whole, all, from, planReshard(whole, from, layout, axes));
}

static bool isRemade(Operation &op) {
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
    return tensorTypeOf(broadcast.getOperand()).getRank() == 0;
  return isa<graph::ConstantOp, graph::IotaOp>(op);
}

double Partitioner::requestBytes(Value value, const Layout &layout) {
  const Held &entry = held.find(value)->second;
  if (entry.remake)
    return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Form &form : *entry.forms)
    least = std::min(
        least, sentBytes(planReshard(entry.whole, form.layout, layout, axes)));
  return least;
}

Value Partitioner::request(Value value, const Layout &layout) {
  Held entry = held.find(value)->second;
  if (entry.remake)
    return build(entry.remake, layout);
  const Form *nearest = nullptr;
  std::vector<ReshardStep> steps;
  for (const Form &form : *entry.forms) {
    std::vector<ReshardStep> plan =
        planReshard(entry.whole, form.layout, layout, axes);
    if (!nearest || sentBytes(plan) < sentBytes(steps) ||
        (sentBytes(plan) == sentBytes(steps) && plan.size() < steps.size())) {
      nearest = &form;
      steps = std::move(plan);
    }
  }
  if (steps.empty())
    return nearest->value;
  if (explain)
    explainReshard(value, *nearest, layout, steps);
  // Beside its source, so that all later uses see it and loops don't repeat it.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(nearest->value);
  LocalBuilder x = local(nearest->value.getLoc());
  Value result =
      reshard(x, entry.whole, nearest->value, nearest->layout, steps);
  sayReason(value, nearest->value, result);
  entry.forms->push_back({layout, result});
  return result;
}

void Partitioner::mapCaptured(Operation &op, IRMapping &mapping) {
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!region.isAncestor(operand.getParentRegion()) &&
            !mapping.contains(operand))
          mapping.map(
              operand,
              request(operand, Layout::whole(tensorTypeOf(operand).getRank())));
    });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

llvm::Error Partitioner::block(Block &from) {
  for (Operation &inner : from.without_terminator())
    if (llvm::Error error = op(inner))
      return error;
  return llvm::Error::success();
}

llvm::Error Partitioner::op(Operation &op) {
  consumer = &op;
  for (Type type : op.getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return refuse(op, "with a size known at run time");
  if (isa<graph::ShardOp, graph::ReshardOp, graph::ShardBarrierOp>(op)) {
    Held entry = held.find(op.getOperand(0))->second;
    entry.wanted = wantedLayout(op.getResult(0));
    if (auto shard = op.getAttrOfType<graph::ShardingAttr>("sharding"))
      entry.wanted = axes.layoutOf(shard);
    held[op.getResult(0)] = std::move(entry);
    return llvm::Error::success();
  }
  if (isa<graph::ShardGroupOp>(op))
    return llvm::Error::success();
  if (isRemade(op)) {
    Held entry;
    entry.whole = tensorTypeOf(op.getResult(0));
    entry.wanted = wantedLayout(op.getResult(0));
    entry.remake = &op;
    held[op.getResult(0)] = std::move(entry);
    return llvm::Error::success();
  }
  if (auto nested = dyn_cast<graph::WhileOp>(op))
    return loop(nested);
  if (isa<graph::IfOp, graph::CaseOp>(op))
    return branch(op);
  if (auto region = dyn_cast<graph::ManualOp>(op))
    return manual(region);
  if (graph::familyOf(&op) == graph::Family::Collective)
    return collective(op);
  if (byNeighbours(op))
    return llvm::Error::success();
  return byFactors(op);
}

llvm::Error Partitioner::onWhole(Operation &op) {
  IRMapping mapping;
  for (Value operand : op.getOperands()) {
    if (explain && !layoutOf(operand).isWhole())
      remarks::emit(&op, remarks::Code::SHD104,
                    {op.getName().getStringRef(), nameOf(operand)});
    mapping.map(
        operand,
        request(operand, Layout::whole(tensorTypeOf(operand).getRank())));
  }
  mapCaptured(op, mapping);
  Operation *clone = b.clone(op, mapping);
  for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
    set(from, Layout::whole(tensorTypeOf(from).getRank()), to);
  return llvm::Error::success();
}

// Layouts that a value of the edge has: wanted, or whole.
static Layout edgeLayout(Partitioner &p, Value result) {
  if (std::optional<Layout> wanted = p.wantedLayout(result)) {
    wanted->partial.clear();
    return *wanted;
  }
  return Layout::whole(tensorTypeOf(result).getRank());
}

llvm::Error Partitioner::loop(graph::WhileOp op) {
  SmallVector<Layout> layouts;
  SmallVector<Value> starts;
  SmallVector<Type> types;
  for (auto [init, result] : llvm::zip_equal(op.getInits(), op.getResults())) {
    layouts.push_back(edgeLayout(*this, result));
    starts.push_back(request(init, layouts.back()));
    types.push_back(axes.blockType(tensorTypeOf(result), layouts.back()));
  }
  auto built = b.create<graph::WhileOp>(op.getLoc(), types, starts);
  SmallVector<Location> locs(types.size(), op.getLoc());
  auto fill = [&](Region &from, Region &to,
                  ArrayRef<Layout> yielded) -> llvm::Error {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&to, {}, types, locs);
    for (auto [i, argument] : llvm::enumerate(from.getArguments())) {
      set(argument, layouts[i], body->getArgument(i));
      held[argument].wanted = layouts[i];
    }
    if (llvm::Error error = block(from.front()))
      return error;
    SmallVector<Value> results;
    for (auto [value, layout] :
         llvm::zip_equal(from.front().back().getOperands(), yielded))
      results.push_back(request(value, layout));
    b.setInsertionPointToEnd(body);
    b.create<graph::YieldOp>(op.getLoc(), results);
    return llvm::Error::success();
  };
  Layout scalar = Layout::whole(0);
  if (llvm::Error error = fill(op.getCondition(), built.getCondition(), scalar))
    return error;
  if (llvm::Error error = fill(op.getBody(), built.getBody(), layouts))
    return error;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    set(result, layouts[i], built.getResult(i));
  return llvm::Error::success();
}

llvm::Error Partitioner::branch(Operation &op) {
  SmallVector<Layout> layouts;
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    layouts.push_back(edgeLayout(*this, result));
    types.push_back(axes.blockType(tensorTypeOf(result), layouts.back()));
  }
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(request(op.getOperand(0), Layout::whole(0)));
  state.addTypes(types);
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *built = b.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op.getRegions(), built->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&to);
    if (llvm::Error error = block(from.front()))
      return error;
    SmallVector<Value> results;
    for (auto [value, layout] :
         llvm::zip_equal(from.front().back().getOperands(), layouts))
      results.push_back(request(value, layout));
    b.setInsertionPointToEnd(body);
    b.create<graph::YieldOp>(op.getLoc(), results);
  }
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    set(result, layouts[i], built->getResult(i));
  return llvm::Error::success();
}

// Without the axes of a manual region.
static Layout inside(Layout layout, ArrayRef<unsigned> bound) {
  for (Atoms &dim : layout.dims)
    llvm::erase_if(
        dim, [&](unsigned atom) { return llvm::is_contained(bound, atom); });
  llvm::erase_if(layout.partial, [&](unsigned atom) {
    return llvm::is_contained(bound, atom);
  });
  return layout;
}

llvm::Error Partitioner::manual(graph::ManualOp op) {
  Atoms bound;
  for (auto name : op.getManualAxes().getAsRange<StringAttr>())
    llvm::append_range(bound, axes.atomsOf(graph::AxisRefAttr::get(
                                  op.getContext(), name.getValue(), 1, 0)));
  Block &body = op.getBody().front();
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Layout layout = axes.layoutOf(op.inSharding(unsigned(i)));
    Value value = request(input, layout);
    Layout own = inside(layout, bound);
    set(body.getArgument(i), own, value);
    held[body.getArgument(i)].wanted = own;
  }
  if (llvm::Error error = block(body))
    return error;
  SmallVector<Form> results;
  for (auto [i, value] : llvm::enumerate(body.back().getOperands())) {
    Layout layout = axes.layoutOf(op.outSharding(unsigned(i)));
    results.push_back({layout, request(value, inside(layout, bound))});
  }
  for (auto [result, form] : llvm::zip_equal(op.getResults(), results))
    set(result, form.layout, form.value);
  return llvm::Error::success();
}

// A collective of a manual region: dimensions that it leaves alone stay dealt
// over the other axes.
llvm::Error Partitioner::collective(Operation &op) {
  SmallVector<int64_t> used;
  if (auto gather = dyn_cast<graph::AllGatherOp>(op))
    used = {int64_t(gather.getDim())};
  if (auto scatter = dyn_cast<graph::ReduceScatterOp>(op))
    used = {int64_t(scatter.getDim())};
  if (auto exchange = dyn_cast<graph::AllToAllOp>(op))
    used = {int64_t(exchange.getSplit()), int64_t(exchange.getConcat())};
  IRMapping mapping;
  SmallVector<Layout> layouts;
  for (Value operand : op.getOperands()) {
    Layout layout = layoutOf(operand);
    layout.partial.clear();
    for (int64_t dim : used)
      layout.dims[dim].clear();
    mapping.map(operand, request(operand, layout));
    layouts.push_back(std::move(layout));
  }
  mapCaptured(op, mapping);
  Operation *clone = b.clone(op, mapping);
  if (layouts.empty())
    layouts.resize(op.getNumResults(), Layout::whole(0));
  for (auto [i, from] : llvm::enumerate(op.getResults())) {
    Value to = clone->getResult(i);
    to.setType(axes.blockType(tensorTypeOf(from), layouts[i]));
    set(from, layouts[i], to);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

llvm::Expected<func::FuncOp> Partitioner::run(func::FuncOp whole) {
  b.setInsertionPoint(whole);
  consumer = nullptr;
  SmallVector<Layout> layouts;
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (BlockArgument argument : whole.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape())
      return refuse(*whole, "with a size known at run time");
    std::optional<Layout> wanted = wantedLayout(argument);
    layouts.push_back(wanted ? *wanted : Layout::whole(type.getRank()));
    if (explain)
      explainPadding(whole, "argument", argument.getArgNumber(), type,
                     layouts.back());
    types.push_back(axes.blockType(type, layouts.back()));
    locs.push_back(argument.getLoc());
  }
  auto built = b.create<func::FuncOp>(whole.getLoc(), whole.getSymName(),
                                      b.getFunctionType(types, {}));
  Block *body = b.createBlock(&built.getBody(), {}, types, locs);
  for (auto [i, argument] : llvm::enumerate(whole.getArguments()))
    set(argument, layouts[i], body->getArgument(i));
  if (llvm::Error error = block(whole.getBody().front())) {
    built.erase();
    return std::move(error);
  }
  consumer = whole.getBody().front().getTerminator();
  SmallVector<Value> results;
  SmallVector<Layout> resultLayouts;
  for (auto [i, value] :
       llvm::enumerate(whole.getBody().front().back().getOperands())) {
    Layout layout = layoutOf(value);
    if (auto sharding = graph::resultSharding(whole, unsigned(i)))
      layout = axes.layoutOf(sharding);
    layout.partial.clear();
    if (explain)
      explainPadding(whole, "result", unsigned(i), value.getType(), layout);
    results.push_back(request(value, layout));
    resultLayouts.push_back(std::move(layout));
  }
  b.setInsertionPointToEnd(body);
  b.create<func::ReturnOp>(whole.getBody().front().back().getLoc(), results);
  built.setFunctionType(
      b.getFunctionType(types, ValueRange(results).getTypes()));
  auto copy = [&](DictionaryAttr from, const Layout &layout, Type type) {
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute :
         from ? from.getValue() : ArrayRef<NamedAttribute>())
      if (attribute.getName() != graph::shardingAttrName &&
          attribute.getName() != originsAttrName &&
          attribute.getName() != graph::dimsAttrName)
        attributes.push_back(attribute);
    attributes.push_back(b.getNamedAttr(
        graph::blockAttrName, graph::blockAttr(axes.shardingOf(layout), type)));
    return b.getDictionaryAttr(attributes);
  };
  for (auto [i, layout] : llvm::enumerate(layouts))
    built.setArgAttrs(
        i, copy(whole.getArgAttrDict(i), layout, whole.getArgumentTypes()[i]));
  for (auto [i, layout] : llvm::enumerate(resultLayouts))
    built.setResultAttrs(
        i, copy(whole.getResultAttrDict(i), layout, whole.getResultTypes()[i]));
  built.setVisibility(whole.getVisibility());
  built.walk([](Operation *op) {
    op->removeAttr(graph::shardingAttrName);
    op->removeAttr(originsAttrName);
  });
  whole.erase();
  return built;
}
