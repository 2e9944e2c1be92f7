// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the steps of a reshard on the values of one device.

#include "passes/sharding/partition/Reshard.h"

#include "ir/CollectiveOps.h"
#include <map>

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

namespace {
/// A step on a value.
struct StepBuilder {
  LocalBuilder &x;
  RankedTensorType whole;
  const Layout &from;
  const ReshardStep &step;

  Value cut(Value value);
  Value gather(Value value);
  Value exchange(Value value);
  Value permute(Value value);
  Value join(Value value);
  Value scatter(Value value);

private:
  SmallVector<int64_t> shapeOf(Value value) const {
    return SmallVector<int64_t>(tensorTypeOf(value).getShape());
  }
  Value padTo(Value value, int64_t dim, int64_t size);
  /// Without what pads a dimension that is whole now.
  Value trimmed(Value value);
  /// Dimension `dim` gets a leading one for each of `atoms`, which go to the
  /// front of the value in the order of `step.atoms`.
  Value split(Value value, ArrayRef<Atoms> entering);
  /// The other way round: the front dimensions become the outermost parts of
  /// those that `leaving` lists them for.
  Value merge(Value value, ArrayRef<Atoms> leaving);
};
} // namespace

Value StepBuilder::padTo(Value value, int64_t dim, int64_t size) {
  int64_t own = tensorTypeOf(value).getDimSize(dim);
  return size > own ? x.pad(value, dim, 0, size - own) : value;
}

Value StepBuilder::trimmed(Value value) {
  for (auto [dim, size] :
       llvm::enumerate(x.axes.blockType(whole, step.to).getShape()))
    if (tensorTypeOf(value).getDimSize(dim) > size)
      value = x.slice(value, int64_t(dim), 0, size);
  return value;
}

Value StepBuilder::cut(Value value) {
  for (unsigned dim = 0; dim < from.dims.size(); ++dim) {
    ArrayRef<unsigned> entering =
        ArrayRef<unsigned>(step.to.dims[dim]).drop_front(from.dims[dim].size());
    if (entering.empty())
      continue;
    int64_t block = x.axes.blockSize(whole.getDimSize(dim), step.to.dims[dim]);
    value = padTo(value, dim, block * x.axes.size(entering));
    value = x.sliceAt(value, dim, x.mul(x.blockIndex(entering), block), block);
  }
  return value;
}

Value StepBuilder::merge(Value value, ArrayRef<Atoms> leaving) {
  unsigned count = step.atoms.size();
  SmallVector<int64_t> order, shape = shapeOf(value), joined;
  for (unsigned dim = 0; dim < leaving.size(); ++dim) {
    int64_t size = shape[count + dim];
    for (unsigned atom : leaving[dim]) {
      auto *at = llvm::find(step.atoms, atom);
      order.push_back(at - step.atoms.begin());
      size *= x.axes.size(atom);
    }
    order.push_back(int64_t(count + dim));
    joined.push_back(size);
  }
  return x.reshape(x.transpose(value, order), joined);
}

Value StepBuilder::split(Value value, ArrayRef<Atoms> entering) {
  SmallVector<int64_t> shape, order(step.atoms.size(), 0), rest;
  ArrayRef<int64_t> own = tensorTypeOf(value).getShape();
  for (unsigned dim = 0; dim < entering.size(); ++dim) {
    for (unsigned atom : entering[dim]) {
      auto *at = llvm::find(step.atoms, atom);
      order[at - step.atoms.begin()] = int64_t(shape.size());
      shape.push_back(x.axes.size(atom));
    }
    rest.push_back(int64_t(shape.size()));
    shape.push_back(own[dim] / x.axes.size(entering[dim]));
  }
  llvm::append_range(order, rest);
  return x.transpose(x.reshape(value, shape), order);
}

static SmallVector<int64_t> sizesOf(const DeviceAxes &axes,
                                    ArrayRef<unsigned> atoms) {
  SmallVector<int64_t> sizes;
  for (unsigned atom : atoms)
    sizes.push_back(axes.size(atom));
  return sizes;
}

Value StepBuilder::gather(Value value) {
  int64_t devices = x.axes.size(step.atoms);
  SmallVector<Atoms> leaving;
  SmallVector<unsigned> changed;
  for (unsigned dim = 0; dim < from.dims.size(); ++dim) {
    leaving.emplace_back(ArrayRef<unsigned>(from.dims[dim])
                             .drop_front(step.to.dims[dim].size()));
    if (!leaving.back().empty())
      changed.push_back(dim);
  }
  auto gathered = [&](Value part, int64_t dim, ArrayRef<unsigned> atoms) {
    SmallVector<int64_t> shape = shapeOf(part);
    shape[dim] *= devices;
    Type type =
        RankedTensorType::get(shape, tensorTypeOf(part).getElementType());
    return x.b
        .create<graph::AllGatherOp>(x.loc, type, part, uint64_t(dim),
                                    x.axes.meshName(), x.axes.axesAttr(atoms),
                                    DenseIntElementsAttr())
        .getResult(0);
  };
  if (changed.size() == 1)
    return trimmed(gathered(value, changed[0], leaving[changed[0]]));
  SmallVector<int64_t> shape = shapeOf(value), front = {1};
  llvm::append_range(front, shape);
  Value all = gathered(x.reshape(value, front), 0, step.atoms);
  SmallVector<int64_t> apart = sizesOf(x.axes, step.atoms);
  llvm::append_range(apart, shape);
  return trimmed(merge(x.reshape(all, apart), leaving));
}

Value StepBuilder::exchange(Value value) {
  int64_t devices = x.axes.size(step.atoms);
  SmallVector<Atoms> leaving, entering;
  for (unsigned dim = 0; dim < from.dims.size(); ++dim) {
    Atoms out, in;
    for (unsigned atom : from.dims[dim])
      if (!llvm::is_contained(step.to.dims[dim], atom))
        out.push_back(atom);
    for (unsigned atom : step.to.dims[dim])
      if (!llvm::is_contained(from.dims[dim], atom))
        in.push_back(atom);
    if (!in.empty()) {
      int64_t block =
          x.axes.blockSize(whole.getDimSize(dim), step.to.dims[dim]);
      value = padTo(value, dim, block * x.axes.size(in));
    }
    leaving.push_back(out);
    entering.push_back(in);
  }
  Value parts = split(value, entering);
  SmallVector<int64_t> apart = shapeOf(parts), front = {devices};
  llvm::append_range(front, ArrayRef(apart).drop_front(step.atoms.size()));
  Value sent = x.reshape(parts, front);
  Value received = x.b.create<graph::AllToAllOp>(
                          x.loc, sent.getType(), sent, uint64_t(0), uint64_t(0),
                          uint64_t(devices), x.axes.meshName(),
                          x.axes.axesAttr(step.atoms), DenseIntElementsAttr())
                       .getResult(0);
  return trimmed(merge(x.reshape(received, apart), leaving));
}

// The device that gives each device its new block: itself where it has it.
static SmallVector<int64_t> blockSenders(const DeviceAxes &axes,
                                         const Layout &from, const Layout &to) {
  auto blockOf = [&](const Layout &layout, int64_t position) {
    SmallVector<int64_t> blocks;
    for (const Atoms &dim : layout.dims)
      blocks.push_back(axes.blockAt(dim, position));
    return std::vector<int64_t>(blocks.begin(), blocks.end());
  };
  int64_t devices = axes.devices();
  std::map<std::vector<int64_t>, SmallVector<int64_t>> owners;
  SmallVector<int64_t> sender(devices, -1);
  for (int64_t position = 0; position < devices; ++position) {
    if (blockOf(from, position) == blockOf(to, position))
      sender[position] = position;
    else
      owners[blockOf(from, position)].push_back(position);
  }
  for (int64_t position = 0; position < devices; ++position)
    if (sender[position] < 0)
      sender[position] = owners[blockOf(to, position)].pop_back_val();
  return sender;
}

Value StepBuilder::permute(Value value) {
  graph::DeviceList ids = graph::devicesOf(x.axes.meshAttr());
  SmallVector<int64_t> pairs;
  for (auto [position, sender] :
       llvm::enumerate(blockSenders(x.axes, from, step.to))) {
    pairs.push_back(ids[sender]);
    pairs.push_back(ids[position]);
  }
  auto type =
      RankedTensorType::get({int64_t(pairs.size() / 2), 2}, x.b.getI64Type());
  return x.b.create<graph::CollectivePermuteOp>(
      x.loc, value.getType(), value, DenseIntElementsAttr::get(type, pairs),
      FlatSymbolRefAttr(), ArrayAttr());
}

Value StepBuilder::join(Value value) {
  return x.b
      .create<graph::AllReduceOp>(
          x.loc, value.getType(), value,
          graph::ReduceKindAttr::get(x.b.getContext(), from.fold),
          x.axes.meshName(), x.axes.axesAttr(step.atoms),
          DenseIntElementsAttr(), 0)
      .getResult(0);
}

Value StepBuilder::scatter(Value value) {
  for (unsigned dim = 0; dim < from.dims.size(); ++dim) {
    if (step.to.dims[dim] == from.dims[dim])
      continue;
    int64_t block = x.axes.blockSize(whole.getDimSize(dim), step.to.dims[dim]);
    value = padTo(value, dim, block * x.axes.size(step.atoms));
    SmallVector<int64_t> shape = shapeOf(value);
    shape[dim] = block;
    return x.b.create<graph::ReduceScatterOp>(
        x.loc,
        RankedTensorType::get(shape, tensorTypeOf(value).getElementType()),
        value, uint64_t(dim),
        graph::ReduceKindAttr::get(x.b.getContext(), from.fold),
        x.axes.meshName(), x.axes.axesAttr(step.atoms), DenseIntElementsAttr(),
        0);
  }
  return value;
}

Value zenith::sharding::reshard(LocalBuilder &builder, RankedTensorType whole,
                                Value value, const Layout &from,
                                ArrayRef<ReshardStep> steps) {
  Layout now = from;
  for (const ReshardStep &step : steps) {
    StepBuilder build{builder, whole, now, step};
    switch (step.kind) {
    case ReshardStep::Slice:
      value = build.cut(value);
      break;
    case ReshardStep::AllGather:
      value = build.gather(value);
      break;
    case ReshardStep::AllToAll:
      value = build.exchange(value);
      break;
    case ReshardStep::Permute:
      value = build.permute(value);
      break;
    case ReshardStep::AllReduce:
      value = build.join(value);
      break;
    case ReshardStep::ReduceScatter:
      value = build.scatter(value);
      break;
    }
    now = step.to;
  }
  return value;
}
