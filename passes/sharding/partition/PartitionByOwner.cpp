// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops at positions given by data along a dealt dimension: the owner of a
// position acts, and only what it read travels.

#include "passes/sharding/partition/Partitioner.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static Layout wantedOr(Partitioner &p, Value result, const Layout &other) {
  std::optional<Layout> wanted = p.wantedLayout(result);
  Layout layout = wanted ? *wanted : other;
  layout.partial.clear();
  return layout;
}

// A scalar start as tensor<i64>, clamped to [0, last].
static Value clampedStart(LocalBuilder &x, Value start, int64_t last) {
  auto type = RankedTensorType::get({}, x.b.getI64Type());
  if (start.getType() != type)
    start = x.b.create<graph::ConvertOp>(x.loc, type, start);
  start = x.b.create<graph::MaxOp>(x.loc, type, start, x.index(0));
  return x.b.create<graph::MinOp>(x.loc, type, start, x.index(last));
}

static Value minus(LocalBuilder &x, Value lhs, Value rhs) {
  return x.b.create<graph::SubOp>(x.loc, lhs.getType(), lhs, rhs);
}

// Where the own block, with `size` more rows on either side, has this row;
// clamped so that rows of others fall into what was added.
static Value placeInBlock(LocalBuilder &x, Value start, int64_t block,
                          ArrayRef<unsigned> atoms, int64_t size) {
  Value offset = x.mul(x.blockIndex(atoms), block);
  Value place = x.add(minus(x, start, offset), x.index(size));
  return clampedStart(x, place, block + size);
}

/// The dimensions that are cut and dealt.
static SmallVector<int64_t> dealtCuts(const Layout &layout,
                                      ArrayRef<int64_t> whole,
                                      ArrayRef<int64_t> part) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < int64_t(whole.size()); ++dim)
    if (!layout.dims[dim].empty() && whole[dim] != part[dim])
      dims.push_back(dim);
  return dims;
}

static SmallVector<Value> startsOf(Partitioner &p, LocalBuilder &x,
                                   ValueRange starts, ArrayRef<int64_t> whole,
                                   ArrayRef<int64_t> part) {
  SmallVector<Value> clamped;
  for (auto [dim, start] : llvm::enumerate(starts))
    clamped.push_back(clampedStart(x, p.request(start, Layout::whole(0)),
                                   whole[dim] - part[dim]));
  return clamped;
}

static bool dynamicSlice(Partitioner &p, graph::DynamicSliceOp op) {
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  Layout from = p.layoutOf(op.getOperand());
  from.partial.clear();
  SmallVector<int64_t> dims =
      dealtCuts(from, whole.getShape(), result.getShape());
  Type element = whole.getElementType();
  if (dims.empty() || element.isInteger(1))
    return false;
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), from);
  SmallVector<Value> starts =
      startsOf(p, x, op.getStarts(), whole.getShape(), result.getShape());
  Layout layout = from;
  Atoms owners;
  for (int64_t dim : dims) {
    const Atoms &atoms = from.dims[dim];
    int64_t size = result.getDimSize(dim);
    int64_t block = tensorTypeOf(source).getDimSize(dim);
    source = x.maskPadding(source, dim, whole.getDimSize(dim), atoms,
                           x.scalar(element, 0));
    source = x.pad(source, dim, size, size);
    starts[dim] = placeInBlock(x, starts[dim], block, atoms, size);
    layout.dims[dim].clear();
    llvm::append_range(owners, atoms);
  }
  SmallVector<int64_t> shape(tensorTypeOf(source).getShape());
  for (int64_t other = 0; other < whole.getRank(); ++other)
    if (whole.getDimSize(other) != result.getDimSize(other))
      shape[other] = result.getDimSize(other);
  Value part = p.b.create<graph::DynamicSliceOp>(
      op.getLoc(), RankedTensorType::get(shape, element), source, starts);
  layout.partial = p.axes.inMeshOrder(owners);
  layout.fold = graph::ReduceKind::sum;
  p.set(op.getResult(), layout, part);
  return true;
}

static bool dynamicUpdate(Partitioner &p, graph::DynamicUpdateSliceOp op) {
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   update = tensorTypeOf(op.getUpdate());
  Layout to = wantedOr(p, op.getResult(), p.layoutOf(op.getOperand()));
  SmallVector<int64_t> dims =
      dealtCuts(to, whole.getShape(), update.getShape());
  if (dims.empty())
    return false;
  LocalBuilder x = p.local(op.getLoc());
  Value wide = p.request(op.getOperand(), to);
  SmallVector<int64_t> blocks(tensorTypeOf(wide).getShape());
  Layout parts = to;
  for (int64_t dim : dims)
    parts.dims[dim].clear();
  Value written = p.request(op.getUpdate(), parts);
  SmallVector<Value> starts =
      startsOf(p, x, op.getStarts(), whole.getShape(), update.getShape());
  for (int64_t dim : dims) {
    int64_t size = update.getDimSize(dim);
    starts[dim] = placeInBlock(x, starts[dim], blocks[dim], to.dims[dim], size);
    wide = x.pad(wide, dim, size, size);
  }
  wide = p.b.create<graph::DynamicUpdateSliceOp>(op.getLoc(), wide.getType(),
                                                 wide, written, starts);
  for (int64_t dim : dims)
    wide = x.slice(wide, dim, update.getDimSize(dim), blocks[dim]);
  p.set(op.getResult(), to, wide);
  return true;
}

// Positions less the first of the own block, along `component` of the vectors
// of indices.
static Value shifted(LocalBuilder &x, Value indices, int64_t vectorDim,
                     int64_t component, int64_t block,
                     ArrayRef<unsigned> atoms) {
  RankedTensorType type = tensorTypeOf(indices);
  Type element = type.getElementType();
  Value offset = x.mul(x.blockIndex(atoms), block);
  auto scalar = RankedTensorType::get({}, element);
  if (offset.getType() != scalar)
    offset = x.b.create<graph::ConvertOp>(x.loc, scalar, offset);
  Value offsets = x.fill(type, offset);
  if (vectorDim < type.getRank() && type.getDimSize(vectorDim) > 1) {
    SmallVector<int64_t> flags(type.getDimSize(vectorDim), 0);
    flags[component] = 1;
    auto line =
        RankedTensorType::get({int64_t(flags.size())}, x.b.getI64Type());
    Value mask = x.b.create<graph::ConstantOp>(
        x.loc, DenseElementsAttr::get(line, ArrayRef<int64_t>(flags)));
    auto own = RankedTensorType::get(line.getShape(), element);
    if (own != line)
      mask = x.b.create<graph::ConvertOp>(x.loc, own, mask);
    mask = x.b.create<graph::BroadcastOp>(
        x.loc, type, mask, ArrayRef<int64_t>{vectorDim}, ValueRange());
    offsets = x.b.create<graph::MulOp>(x.loc, type, offsets, mask);
  }
  return minus(x, indices, offsets);
}

// Each device writes what falls into its block; the rest is skipped.
static bool scatter(Partitioner &p, graph::ScatterOp op) {
  RankedTensorType whole = tensorTypeOf(op.getOperand());
  Layout to = wantedOr(p, op.getResult(), p.layoutOf(op.getOperand()));
  graph::ScatterDimsAttr dims = op.getDims();
  int64_t dealt = -1, component = 0;
  for (auto [dim, atoms] : llvm::enumerate(to.dims)) {
    if (atoms.empty())
      continue;
    auto at = llvm::find(dims.getIndexMap(), int64_t(dim));
    if (at == dims.getIndexMap().end())
      continue;
    if (dealt >= 0 ||
        !llvm::is_contained(dims.getInsertedWindowDims(), int64_t(dim)))
      return false;
    dealt = int64_t(dim);
    component = at - dims.getIndexMap().begin();
  }
  if (dealt < 0)
    return false;
  Type indexElement = tensorTypeOf(op.getIndices()).getElementType();
  if (!indexElement.isSignlessInteger(32) &&
      !indexElement.isSignlessInteger(64))
    return false;
  // Windows as large as their dimension may be dealt along with it.
  Layout updates = Layout::whole(tensorTypeOf(op.getUpdates()).getRank());
  Layout own = Layout::whole(whole.getRank());
  own.dims[dealt] = to.dims[dealt];
  LocalBuilder x = p.local(op.getLoc());
  Value target = p.request(op.getOperand(), own);
  Value indices = p.request(
      op.getIndices(), Layout::whole(tensorTypeOf(op.getIndices()).getRank()));
  indices = shifted(x, indices, dims.getIndexVectorDim(), component,
                    tensorTypeOf(target).getDimSize(dealt), own.dims[dealt]);
  if (dims.getIndexMap().size() == 1) {
    // Rows before the block are skipped like those after it.
    RankedTensorType type = tensorTypeOf(indices);
    auto flags = RankedTensorType::get(type.getShape(), p.b.getI1Type());
    Value before = p.b.create<graph::CompareOp>(
        op.getLoc(), flags, graph::CompareDirection::lt, indices,
        x.fill(type, x.scalar(indexElement, 0)));
    indices =
        x.select(before,
                 x.fill(type, x.scalar(indexElement,
                                       tensorTypeOf(target).getDimSize(dealt))),
                 indices);
  }
  Value written = p.request(op.getUpdates(), updates);
  auto built = p.b.clone(*op);
  built->setOperands({target, indices, written});
  built->getResult(0).setType(target.getType());
  p.set(op.getResult(), own, built->getResult(0));
  return true;
}

// Each device looks up what it owns; the rows are joined by a sum.
static bool gather(Partitioner &p, graph::GatherOp op) {
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  graph::GatherDimsAttr dims = op.getDims();
  Layout table = p.layoutOf(op.getOperand());
  Type element = whole.getElementType();
  Type indexElement = tensorTypeOf(op.getStartIndices()).getElementType();
  if (dims.getStartIndexMap().size() != 1 || element.isInteger(1) ||
      (!indexElement.isSignlessInteger(32) &&
       !indexElement.isSignlessInteger(64)))
    return false;
  int64_t dim = dims.getStartIndexMap().front();
  if (table.dims[dim].empty() ||
      !llvm::is_contained(dims.getCollapsedSliceDims(), dim))
    return false;
  Layout own = Layout::whole(whole.getRank());
  own.dims[dim] = table.dims[dim];
  // Dimensions of indices stay dealt over other axes.
  Layout at = p.layoutOf(op.getStartIndices());
  at.partial.clear();
  Layout layout = Layout::whole(result.getRank());
  int64_t out = 0;
  for (auto [i, atoms] : llvm::enumerate(at.dims)) {
    if (int64_t(i) == dims.getIndexVectorDim()) {
      atoms.clear();
      continue;
    }
    while (llvm::is_contained(dims.getOffsetDims(), out))
      ++out;
    if (llvm::any_of(atoms, [&](unsigned atom) { return own.uses(atom); }) ||
        !dims.getOperandBatchingDims().empty())
      atoms.clear();
    layout.dims[out++] = atoms;
  }
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), own);
  Value indices = p.request(op.getStartIndices(), at);
  RankedTensorType indexType = tensorTypeOf(indices);
  int64_t block = tensorTypeOf(source).getDimSize(dim);
  auto bound = [&](int64_t value) {
    return x.fill(indexType, x.scalar(indexElement, value));
  };
  indices = p.b.create<graph::MaxOp>(op.getLoc(), indexType, indices, bound(0));
  indices = p.b.create<graph::MinOp>(op.getLoc(), indexType, indices,
                                     bound(whole.getDimSize(dim) - 1));
  indices =
      shifted(x, indices, dims.getIndexVectorDim(), 0, block, own.dims[dim]);
  Operation *built = p.b.clone(*op);
  built->setOperands({source, indices});
  RankedTensorType type = p.axes.blockType(result, layout);
  built->getResult(0).setType(type);
  // Rows of other devices count as 0.
  auto flags = RankedTensorType::get(indexType.getShape(), p.b.getI1Type());
  auto compare = [&](graph::CompareDirection direction, int64_t value) {
    return p.b.create<graph::CompareOp>(op.getLoc(), flags, direction, indices,
                                        bound(value));
  };
  Value inside = p.b.create<graph::AndOp>(
      op.getLoc(), flags, compare(graph::CompareDirection::ge, 0),
      compare(graph::CompareDirection::lt, block));
  SmallVector<int64_t> shape, mapping;
  out = 0;
  for (auto [i, size] : llvm::enumerate(indexType.getShape())) {
    if (int64_t(i) == dims.getIndexVectorDim())
      continue;
    while (llvm::is_contained(dims.getOffsetDims(), out))
      ++out;
    shape.push_back(size);
    mapping.push_back(out++);
  }
  inside = x.reshape(inside, shape);
  inside = p.b.create<graph::BroadcastOp>(
      op.getLoc(), RankedTensorType::get(type.getShape(), p.b.getI1Type()),
      inside, mapping, ValueRange());
  Value rows =
      x.select(inside, built->getResult(0), x.fill(type, x.scalar(element, 0)));
  layout.partial = p.axes.inMeshOrder(own.dims[dim]);
  layout.fold = graph::ReduceKind::sum;
  p.set(op.getResult(), layout, rows);
  return true;
}

bool Partitioner::byOwner(Operation &op) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<graph::DynamicSliceOp>(
          [&](auto part) { return dynamicSlice(*this, part); })
      .Case<graph::DynamicUpdateSliceOp>(
          [&](auto update) { return dynamicUpdate(*this, update); })
      .Case<graph::ScatterOp>([&](auto to) { return scatter(*this, to); })
      .Case<graph::GatherOp>([&](auto from) { return gather(*this, from); })
      .Default(false);
}
