// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that read along a dealt dimension what other devices own: parts, padding,
// joins and reversed order.

#include "ir/program/Shardings.h"
#include "passes/sharding/partition/MoveRows.h"
#include "passes/sharding/partition/Partitioner.h"
#include "passes/sharding/partition/WindowRows.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

Layout Partitioner::targetLayout(Operation &op) {
  if (std::optional<Layout> wanted = wantedLayout(op.getResult(0))) {
    wanted->partial.clear();
    return *wanted;
  }
  return Layout::whole(tensorTypeOf(op.getResult(0)).getRank());
}

static Value zeroBlock(LocalBuilder &x, Value like, int64_t dim,
                       int64_t length) {
  SmallVector<int64_t> shape(tensorTypeOf(like).getShape());
  shape[dim] = length;
  Type element = tensorTypeOf(like).getElementType();
  return x.fill(RankedTensorType::get(shape, element), x.scalar(element, 0));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static bool isPart(graph::SliceOp op, int64_t dim) {
  RankedTensorType from = tensorTypeOf(op.getOperand());
  return op.getStaticStarts()[dim] != 0 || op.getStrides()[dim] != 1 ||
         op.getStaticSizes()[dim] != from.getDimSize(dim);
}

/// The one dimension that is cut and dealt; -1 for none or several.
template <typename IsCut>
static int64_t onlyDim(const Layout &layout, IsCut isCut) {
  int64_t only = -1;
  for (auto [dim, atoms] : llvm::enumerate(layout.dims)) {
    if (atoms.empty() || !isCut(int64_t(dim)))
      continue;
    if (only >= 0)
      return -1;
    only = int64_t(dim);
  }
  return only;
}

// Whether a function returns the value whole along a dimension.
static bool isReturnedWhole(Value value, int64_t dim) {
  for (OpOperand &use : value.getUses())
    if (auto end = dyn_cast<func::ReturnOp>(use.getOwner())) {
      graph::ShardingAttr sharding =
          graph::resultSharding(end->getParentOp(), use.getOperandNumber());
      if (!sharding || sharding.getDims()[dim].getAxes().empty())
        return true;
    }
  return false;
}

// The rows that one device owns go from it to all.
static bool sliceOfOwner(Partitioner &p, graph::SliceOp op) {
  Layout from = p.layoutOf(op.getOperand());
  from.partial.clear();
  Layout to = p.targetLayout(*op);
  int64_t dim = onlyDim(from, [&](int64_t dim) { return isPart(op, dim); });
  if (dim < 0 ||
      (!to.dims[dim].empty() && !isReturnedWhole(op.getResult(), dim)))
    return false;
  RankedTensorType whole = tensorTypeOf(op.getOperand());
  int64_t block = p.axes.blockSize(whole.getDimSize(dim), from.dims[dim]);
  int64_t start = op.getStaticStarts()[dim], size = op.getStaticSizes()[dim],
          stride = op.getStrides()[dim];
  if (size == 0)
    return false;
  int64_t owner = start / block;
  if ((start + (size - 1) * stride) / block != owner)
    return false;
  Value source = p.request(op.getOperand(), from);
  SmallVector<int64_t> starts(op.getStaticStarts()),
      sizes(tensorTypeOf(source).getShape()), strides(op.getStrides());
  for (int64_t other = 0; other < whole.getRank(); ++other)
    if (isPart(op, other))
      sizes[other] = op.getStaticSizes()[other];
  starts[dim] -= owner * block;
  auto type = RankedTensorType::get(sizes, whole.getElementType());
  Value own =
      p.b.create<graph::SliceOp>(op.getLoc(), type, source, ValueRange(),
                                 ValueRange(), starts, sizes, strides);
  Value all = p.b.create<graph::CollectiveBroadcastOp>(
                     op.getLoc(), type, own, uint64_t(owner), p.axes.meshName(),
                     p.axes.axesAttr(from.dims[dim]), DenseIntElementsAttr())
                  .getResult(0);
  Layout layout = from;
  layout.dims[dim].clear();
  p.set(op.getResult(), layout, all);
  return true;
}

// Rows start, start + stride, ... of a value along one dimension.
static Value strided(LocalBuilder &x, Value value, int64_t dim, int64_t start,
                     int64_t count, int64_t stride) {
  RankedTensorType type = tensorTypeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = start;
  sizes[dim] = count;
  strides[dim] = stride;
  return x.b.create<graph::SliceOp>(
      x.loc, RankedTensorType::get(sizes, type.getElementType()), value,
      ValueRange(), ValueRange(), starts, sizes, strides);
}

// The part along a dealt dimension. Where all devices have the same rows of
// each step, the others don't travel.
static Value sliceAlong(LocalBuilder &x, graph::SliceOp op, int64_t dim,
                        const Atoms &atoms, Value source) {
  int64_t start = op.getStaticStarts()[dim], stride = op.getStrides()[dim];
  int64_t block = tensorTypeOf(source).getDimSize(dim),
          all = tensorTypeOf(op.getResult()).getDimSize(dim),
          own = x.axes.blockSize(all, atoms);
  WindowPlaces places;
  places.dim = dim;
  places.atoms = atoms;
  places.size = tensorTypeOf(op.getOperand()).getDimSize(dim);
  if (stride > 1 && block % stride == 0 && places.size % stride == 0) {
    int64_t first = start % stride;
    source = strided(x, source, dim, first, block / stride, stride);
    places.size /= stride;
    start = (start - first) / stride;
    stride = 1;
  }
  places.low = -start;
  places.step = own * stride;
  places.places = (own - 1) * stride + 1;
  places.total = (all - 1) * stride + 1;
  Value zero = x.scalar(tensorTypeOf(source).getElementType(), 0);
  Value rows = windowRows(x, source, places, zero).rows;
  return stride == 1 ? rows : strided(x, rows, dim, 0, own, stride);
}

static bool slice(Partitioner &p, graph::SliceOp op) {
  if (!op.getStarts().empty() || !op.getSizes().empty())
    return false;
  if (sliceOfOwner(p, op))
    return true;
  Layout to = p.targetLayout(*op);
  RankedTensorType whole = tensorTypeOf(op.getOperand());
  SmallVector<int64_t> dealt;
  for (auto [dim, atoms] : llvm::enumerate(to.dims))
    if (!atoms.empty() && isPart(op, int64_t(dim)))
      dealt.push_back(int64_t(dim));
  if (dealt.empty())
    return false;
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), to);
  // The other dimensions first, on the own block.
  SmallVector<int64_t> starts(op.getStaticStarts()),
      sizes(tensorTypeOf(source).getShape()), strides(op.getStrides());
  for (int64_t other = 0; other < whole.getRank(); ++other)
    if (!llvm::is_contained(dealt, other) && isPart(op, other))
      sizes[other] = op.getStaticSizes()[other];
  for (int64_t dim : dealt) {
    starts[dim] = 0;
    strides[dim] = 1;
  }
  source = p.b.create<graph::SliceOp>(
      op.getLoc(), RankedTensorType::get(sizes, whole.getElementType()), source,
      ValueRange(), ValueRange(), starts, sizes, strides);
  for (int64_t dim : dealt)
    source = sliceAlong(x, op, dim, to.dims[dim], source);
  p.set(op.getResult(), to, source);
  return true;
}

//===----------------------------------------------------------------------===//
// Padding, joins, reversed order
//===----------------------------------------------------------------------===//

static bool pad(Partitioner &p, graph::PadOp op) {
  if (!op.getLow().empty() || !op.getHigh().empty())
    return false;
  auto isCut = [&](size_t dim) {
    return op.getStaticLow()[dim] != 0 || op.getStaticHigh()[dim] != 0 ||
           op.getInterior()[dim] != 0;
  };
  Layout to = p.targetLayout(*op);
  auto isDealt = [&](size_t dim) {
    return !to.dims[dim].empty() && isCut(dim);
  };
  if (llvm::none_of(llvm::seq<size_t>(0, to.dims.size()), isDealt))
    return false;
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  LocalBuilder x = p.local(op.getLoc());
  Value with = p.request(op.getValue(), Layout::whole(0));
  Value source = p.request(op.getOperand(), to);
  SmallVector<int64_t> low(op.getStaticLow()), high(op.getStaticHigh()),
      interior(op.getInterior());
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    if (!isDealt(dim))
      continue;
    WindowPlaces along;
    along.dim = int64_t(dim);
    along.atoms = to.dims[dim];
    along.size = whole.getDimSize(dim);
    along.low = low[dim];
    along.dilation = interior[dim] + 1;
    along.total = result.getDimSize(dim);
    along.step = along.places = p.axes.blockSize(along.total, along.atoms);
    WindowRows rows = windowRows(x, source, along, with);
    source = rows.rows;
    low[dim] = rows.low;
    high[dim] = rows.high;
    interior[dim] = rows.dilation - 1;
  }
  Value own = p.b.create<graph::PadOp>(
      op.getLoc(), p.axes.blockType(result, to), source, with, ValueRange(),
      ValueRange(), low, high, interior);
  p.set(op.getResult(), to, own);
  return true;
}

// Rows [start, start + size) of a value, and where they go.
namespace {
struct Piece {
  Value source;
  int64_t start = 0, size = 0;
};
} // namespace

// A slice along `dim` alone reads its operand, which other pieces may share.
static Piece pieceOf(Value operand, int64_t dim) {
  auto op = operand.getDefiningOp<graph::SliceOp>();
  int64_t size = tensorTypeOf(operand).getDimSize(dim);
  if (!op || !op.getStarts().empty() || !op.getSizes().empty() ||
      op.getStrides()[dim] != 1)
    return {operand, 0, size};
  for (int64_t other = 0; other < tensorTypeOf(operand).getRank(); ++other)
    if (other != dim && isPart(op, other))
      return {operand, 0, size};
  return {op.getOperand(), op.getStaticStarts()[dim], size};
}

static bool concat(Partitioner &p, graph::ConcatOp op) {
  int64_t dim = int64_t(op.getDim());
  Layout to = p.targetLayout(*op);
  if (to.dims[dim].empty())
    return false;
  LocalBuilder x = p.local(op.getLoc());
  RowMove move;
  move.dim = dim;
  move.atoms = to.dims[dim];
  int64_t shards = p.axes.size(move.atoms);
  move.length = p.axes.blockSize(tensorTypeOf(op.getResult()).getDimSize(dim),
                                 move.atoms);
  move.bases = multiples(shards, move.length, 0);
  Value result;
  int64_t at = 0;
  for (Value operand : op.getOperands()) {
    Piece piece = pieceOf(operand, dim);
    Value source = p.request(piece.source, to);
    int64_t rows = tensorTypeOf(piece.source).getDimSize(dim);
    move.offsets =
        multiples(shards, p.axes.blockSize(rows, move.atoms), at - piece.start);
    move.from = at;
    move.to = at + piece.size;
    if (!result)
      result = zeroBlock(x, source, dim, move.length);
    result = moveRows(x, source, move, result);
    at += piece.size;
  }
  p.set(op.getResult(), to, result);
  return true;
}

static bool reverse(Partitioner &p, graph::ReverseOp op) {
  Layout to = p.targetLayout(*op);
  LocalBuilder x = p.local(op.getLoc());
  bool isDealt = llvm::any_of(
      op.getDims(), [&](int64_t dim) { return !to.dims[dim].empty(); });
  if (!isDealt)
    return false;
  Value source = p.request(op.getOperand(), to);
  source = p.b.create<graph::ReverseOp>(op.getLoc(), source.getType(), source,
                                        op.getDims());
  for (int64_t dim : op.getDims()) {
    if (to.dims[dim].empty())
      continue;
    RowMove move;
    move.dim = dim;
    move.atoms = to.dims[dim];
    int64_t shards = p.axes.size(move.atoms);
    int64_t size = tensorTypeOf(op.getResult()).getDimSize(dim);
    move.length = p.axes.blockSize(size, move.atoms);
    move.bases = multiples(shards, move.length, 0);
    move.offsets = multiples(shards, -move.length, size - move.length);
    move.from = 0;
    move.to = size;
    source = moveRows(x, source, move, zeroBlock(x, source, dim, move.length));
  }
  p.set(op.getResult(), to, source);
  return true;
}

bool Partitioner::byNeighbours(Operation &op) {
  if (op.getNumResults() != 1 ||
      tensorTypeOf(op.getResult(0)).getNumElements() == 0)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<graph::SliceOp>([&](auto part) { return slice(*this, part); })
      .Case<graph::PadOp>([&](auto padded) { return pad(*this, padded); })
      .Case<graph::ConcatOp>([&](auto list) { return concat(*this, list); })
      .Case<graph::ReverseOp>(
          [&](auto turned) { return reverse(*this, turned); })
      .Case<graph::ConvolutionOp, graph::ReduceWindowOp>(
          [&](auto) { return byWindows(op); })
      .Case<graph::DynamicSliceOp, graph::DynamicUpdateSliceOp,
            graph::ScatterOp, graph::GatherOp>(
          [&](auto) { return byOwner(op); })
      .Default(false);
}
