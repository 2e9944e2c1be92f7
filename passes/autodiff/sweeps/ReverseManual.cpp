// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of regions on blocks: a region that runs backwards on the same
// devices. A result of which several devices hold copies is their mean, so each
// gets its share of the cotangent; an operand of which several devices got
// copies has the sum of theirs.

#include "ir/CollectiveOps.h"
#include "ir/program/Shardings.h"
#include "passes/autodiff/sweeps/Residuals.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

namespace {

/// The manual axes of a region and what its shardings leave of them.
class ManualAxes {
public:
  explicit ManualAxes(ManualOp op)
      : name(op.inSharding(0).getMesh()), mesh(meshOf(op, name)),
        names(op.getManualAxes().getAsValueRange<StringAttr>()) {}

  int64_t devices() const {
    int64_t product = 1;
    for (StringRef axis : names)
      product *= *mesh.sizeOf(axis);
    return product;
  }
  /// Manual axes, or parts of them, along which a value so dealt has copies.
  SmallVector<AxisRefAttr> copied(ShardingAttr sharding) const;
  int64_t copies(ShardingAttr sharding) const {
    return axisSizes(copied(sharding), mesh);
  }
  /// `value`, of one device, summed over those that hold copies.
  Value sumOfCopies(RuleBuilder &rule, Value value,
                    ShardingAttr sharding) const;
  /// A dimension of as many rows as devices, a row on each, before `rank` open
  /// ones.
  ShardingAttr rowOnEach(int64_t rank) const;

private:
  FlatSymbolRefAttr name;
  MeshAttr mesh;
  SmallVector<StringRef> names;
};

} // namespace

SmallVector<AxisRefAttr> ManualAxes::copied(ShardingAttr sharding) const {
  SmallVector<AxisRefAttr> left;
  MLIRContext *context = sharding.getContext();
  for (StringRef axis : names) {
    int64_t full = *mesh.sizeOf(axis);
    // Parts that the dimensions have, by the positions before them.
    SmallVector<std::pair<int64_t, int64_t>> parts;
    for (DimShardingAttr dim : sharding.getDims())
      for (AxisRefAttr own : dim.getAxes())
        if (own.getName() == axis)
          parts.push_back({own.getPreSize(), axisSize(own, mesh)});
    if (parts.empty()) {
      if (full > 1)
        left.push_back(AxisRefAttr::get(context, axis, 1, 0));
      continue;
    }
    parts.push_back({full, 1});
    llvm::sort(parts);
    int64_t before = 1;
    for (auto [start, size] : parts) {
      if (start > before)
        left.push_back(AxisRefAttr::get(context, axis, before, start / before));
      before = start * size;
    }
  }
  return left;
}

Value ManualAxes::sumOfCopies(RuleBuilder &rule, Value value,
                              ShardingAttr sharding) const {
  SmallVector<std::string> texts;
  for (AxisRefAttr axis : copied(sharding))
    texts.push_back(axis.text());
  if (texts.empty())
    return value;
  OpBuilder &b = rule.builder;
  SmallVector<StringRef> axes(texts.begin(), texts.end());
  return b
      .create<AllReduceOp>(rule.loc, value.getType(), value,
                           ReduceKindAttr::get(b.getContext(), ReduceKind::sum),
                           name, b.getStrArrayAttr(axes),
                           DenseIntElementsAttr(), 0)
      .getResult(0);
}

ShardingAttr ManualAxes::rowOnEach(int64_t rank) const {
  MLIRContext *context = name.getContext();
  SmallVector<AxisRefAttr> axes;
  for (StringRef axis : names)
    if (*mesh.sizeOf(axis) > 1)
      axes.push_back(AxisRefAttr::get(context, axis, 1, 0));
  SmallVector<DimShardingAttr> dims = {
      DimShardingAttr::get(context, axes, /*open=*/false, /*priority=*/0)};
  dims.append(rank, DimShardingAttr::get(context, {}, /*open=*/true,
                                         /*priority=*/0));
  return ShardingAttr::get(context, name, dims, {}, {});
}

/// A region like that of `op`, which may lose operands, with the ops of `body`.
static ManualOp manualLike(ManualOp op, OpBuilder &builder, Region &body,
                           ValueRange inputs, ArrayRef<Attribute> inShardings,
                           TypeRange types, ArrayRef<Attribute> outShardings) {
  auto built = builder.create<ManualOp>(
      op.getLoc(), types, inputs, builder.getArrayAttr(inShardings),
      builder.getArrayAttr(outShardings), op.getManualAxesAttr());
  built.getBody().takeBody(body);
  return built;
}

/// Gives the region more results, values of its block, of which each device
/// keeps its own as a row. Returns the op in its place.
static ManualOp withRows(ManualOp op, const ManualAxes &axes,
                         ArrayRef<Value> stored, Activity &activity) {
  if (stored.empty())
    return op;
  unsigned count = op.getNumResults();
  SmallVector<Type> types(op.getResultTypes());
  SmallVector<Attribute> outShardings(op.getOutShardings().getValue());
  Operation *end = op.getBody().front().getTerminator();
  OpBuilder before(end);
  RuleBuilder rule(before, op.getLoc());
  for (Value value : stored) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> row(type.getShape());
    row.insert(row.begin(), 1);
    end->insertOperands(end->getNumOperands(), rule.reshape(value, row));
    row.front() = axes.devices();
    types.push_back(RankedTensorType::get(row, type.getElementType()));
    outShardings.push_back(axes.rowOnEach(type.getRank()));
  }
  OpBuilder builder(op);
  ManualOp wider =
      manualLike(op, builder, op.getBody(), op.getInputs(),
                 op.getInShardings().getValue(), types, outShardings);
  for (auto [result, other] :
       llvm::zip(op.getResults(), wider.getResults().take_front(count)))
    if (activity.isVaried(result))
      activity.setVaried(other);
  op->replaceAllUsesWith(wider.getResults().take_front(count));
  op.erase();
  return wider;
}

llvm::Error ReverseSweep::visitManual(ManualOp op, ArrayRef<Value> ofResults) {
  ManualAxes axes(op);
  Location loc = op.getLoc();
  Region backward;
  Block &block = backward.emplaceBlock();
  Block &body = op.getBody().front();
  SmallVector<Value> given(op.getInputs());
  SmallVector<Attribute> inShardings(op.getInShardings().getValue());
  block.addArguments(body.getArgumentTypes(),
                     SmallVector<Location>(given.size(), loc));
  unsigned inputs = given.size();

  OpBuilder inside(op.getContext());
  inside.setInsertionPointToEnd(&block);
  RuleBuilder rule(inside, loc);
  ReverseSweep sweep(activity, inside, tapes);
  for (auto [index, cotangent] : llvm::enumerate(ofResults)) {
    if (!cotangent)
      continue;
    Value yielded = body.getTerminator()->getOperand(index);
    Value own = block.addArgument(yielded.getType(), loc);
    given.push_back(cotangent);
    inShardings.push_back(op.outSharding(index));
    if (int64_t copies = axes.copies(op.outSharding(index)); copies > 1)
      own = rule.scale(own, 1.0 / double(copies));
    sweep.accumulate(yielded, own);
  }
  if (llvm::Error error = sweep.run(body))
    return error;
  SmallVector<unsigned> used;
  SmallVector<Value> sums;
  SmallVector<Type> types;
  SmallVector<Attribute> outShardings;
  for (unsigned i = 0; i < inputs; ++i) {
    Value own = sweep.cotangentOf(body.getArgument(i));
    if (!own)
      continue;
    used.push_back(i);
    sums.push_back(axes.sumOfCopies(rule, own, op.inSharding(i)));
    types.push_back(given[i].getType());
    outShardings.push_back(op.inSharding(i));
  }
  if (used.empty())
    return llvm::Error::success();
  inside.create<YieldOp>(loc, sums);

  SmallVector<Value> arguments(body.getArguments()), stored;
  {
    Residuals residuals(op.getBody(), block);
    llvm::copy_if(
        chooseStored(op.getBody(), residuals.wanted().getArrayRef(), arguments),
        std::back_inserter(stored), [](Value value) {
          return cast<RankedTensorType>(value.getType()).hasStaticShape();
        });
  }
  unsigned results = op.getNumResults();
  op = withRows(op, axes, stored, activity);
  Residuals residuals(op.getBody(), block);
  for (auto [argument, own] :
       llvm::zip(arguments, block.getArguments().take_front(inputs)))
    residuals.give(argument, own);
  inside.setInsertionPointToStart(&block);
  for (auto [i, value] : llvm::enumerate(stored)) {
    Value rows = op.getResult(results + unsigned(i));
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    Value row = block.addArgument(
        RankedTensorType::get(shape, type.getElementType()), loc);
    given.push_back(rows);
    inShardings.push_back(axes.rowOnEach(type.getRank()));
    residuals.give(value, rule.reshape(row, type.getShape()));
  }
  residuals.makeAvailable();
  for (unsigned i = inputs; i-- > 0;)
    if (block.getArgument(i).use_empty()) {
      block.eraseArgument(i);
      given.erase(given.begin() + i);
      inShardings.erase(inShardings.begin() + i);
    }
  ManualOp built = manualLike(op, builder, backward, given, inShardings, types,
                              outShardings);
  for (auto [index, result] : llvm::zip(used, built.getResults()))
    accumulate(op.getInputs()[index], result);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
