// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that read along a dealt dimension what other devices own: parts, padding,
// joins, reversed order and windows.

#include "ir/program/Shardings.h"
#include "passes/sharding/partition/MoveRows.h"
#include "passes/sharding/partition/Partitioner.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

// The layout that the op's only result is built in: what is wanted of it, or
// what the operand has.
static Layout targetLayout(Partitioner &p, Operation &op) {
  if (std::optional<Layout> wanted = p.wantedLayout(op.getResult(0))) {
    wanted->partial.clear();
    return *wanted;
  }
  return Layout::whole(tensorTypeOf(op.getResult(0)).getRank());
}

static SmallVector<int64_t> multiples(int64_t shards, int64_t factor,
                                      int64_t start) {
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < shards; ++i)
    values.push_back(i * factor + start);
  return values;
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
  Layout to = targetLayout(p, *op);
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

static bool slice(Partitioner &p, graph::SliceOp op) {
  if (!op.getStarts().empty() || !op.getSizes().empty())
    return false;
  if (sliceOfOwner(p, op))
    return true;
  Layout to = targetLayout(p, *op);
  int64_t dim = onlyDim(to, [&](int64_t dim) { return isPart(op, dim); });
  if (dim < 0)
    return false;
  if (op.getStrides()[dim] != 1)
    return false;
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), to);
  // The other dimensions first, on the own block.
  SmallVector<int64_t> starts(op.getStaticStarts()),
      sizes(tensorTypeOf(source).getShape()), strides(op.getStrides());
  for (int64_t other = 0; other < whole.getRank(); ++other)
    if (other != dim && isPart(op, other))
      sizes[other] = op.getStaticSizes()[other];
  int64_t start = starts[dim];
  starts[dim] = 0;
  source = p.b.create<graph::SliceOp>(
      op.getLoc(), RankedTensorType::get(sizes, whole.getElementType()), source,
      ValueRange(), ValueRange(), starts, sizes, strides);
  RowMove move;
  move.dim = dim;
  move.atoms = to.dims[dim];
  int64_t shards = p.axes.size(move.atoms);
  move.length = p.axes.blockSize(result.getDimSize(dim), move.atoms);
  move.offsets = multiples(
      shards, p.axes.blockSize(whole.getDimSize(dim), move.atoms), -start);
  move.bases = multiples(shards, move.length, 0);
  move.from = 0;
  move.to = result.getDimSize(dim);
  p.set(op.getResult(), to,
        moveRows(x, source, move, zeroBlock(x, source, dim, move.length)));
  return true;
}

//===----------------------------------------------------------------------===//
// Padding, joins, reversed order
//===----------------------------------------------------------------------===//

static bool pad(Partitioner &p, graph::PadOp op) {
  if (!op.getLow().empty() || !op.getHigh().empty())
    return false;
  auto isCut = [&](int64_t dim) {
    return op.getStaticLow()[dim] != 0 || op.getStaticHigh()[dim] != 0 ||
           op.getInterior()[dim] != 0;
  };
  Layout to = targetLayout(p, *op);
  int64_t dim = onlyDim(to, isCut);
  if (dim < 0 || op.getInterior()[dim] != 0)
    return false;
  RankedTensorType whole = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  LocalBuilder x = p.local(op.getLoc());
  Value with = p.request(op.getValue(), Layout::whole(0));
  Value source = p.request(op.getOperand(), to);
  SmallVector<int64_t> low(op.getStaticLow()), high(op.getStaticHigh()),
      shape(tensorTypeOf(source).getShape());
  low[dim] = high[dim] = 0;
  for (int64_t other = 0; other < whole.getRank(); ++other)
    if (other != dim && isCut(other))
      shape[other] = result.getDimSize(other);
  source = p.b.create<graph::PadOp>(
      op.getLoc(), RankedTensorType::get(shape, whole.getElementType()), source,
      with, ValueRange(), ValueRange(), low, high, op.getInterior());
  RowMove move;
  move.dim = dim;
  move.atoms = to.dims[dim];
  int64_t shards = p.axes.size(move.atoms), start = op.getStaticLow()[dim];
  move.length = p.axes.blockSize(result.getDimSize(dim), move.atoms);
  move.offsets = multiples(
      shards, p.axes.blockSize(whole.getDimSize(dim), move.atoms), start);
  move.bases = multiples(shards, move.length, 0);
  move.from = std::max<int64_t>(start, 0);
  move.to = std::min(start + whole.getDimSize(dim), result.getDimSize(dim));
  Value background = zeroBlock(x, source, dim, move.length);
  background = x.fill(tensorTypeOf(background), with);
  p.set(op.getResult(), to, moveRows(x, source, move, background));
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
  Layout to = targetLayout(p, *op);
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
  Layout to = targetLayout(p, *op);
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

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

// The rows of `source` that windows of the own block of results read, with
// `background` where the input ends.
static Value windowRows(LocalBuilder &x, Value source, int64_t dim,
                        ArrayRef<unsigned> atoms, int64_t size, int64_t results,
                        int64_t stride, int64_t reach, int64_t low,
                        Value neutral) {
  RowMove move;
  move.dim = dim;
  move.atoms.assign(atoms.begin(), atoms.end());
  int64_t shards = x.axes.size(atoms);
  int64_t block = x.axes.blockSize(results, atoms);
  move.length = (block - 1) * stride + reach;
  move.offsets = multiples(shards, x.axes.blockSize(size, atoms), 0);
  move.bases = multiples(shards, block * stride, -low);
  move.from = 0;
  move.to = size;
  Value background = zeroBlock(x, source, dim, move.length);
  if (neutral)
    background = x.fill(tensorTypeOf(background), neutral);
  return moveRows(x, source, move, background);
}

static bool convolution(Partitioner &p, graph::ConvolutionOp op) {
  Layout to = targetLayout(p, *op);
  graph::ConvDimsAttr dims = op.getDims();
  ArrayRef<int64_t> outputs = dims.getOutputSpatial(),
                    inputs = dims.getInputSpatial(),
                    kernels = dims.getKernelSpatial();
  bool isDealt = false;
  for (auto [i, dim] : llvm::enumerate(outputs)) {
    if (to.dims[dim].empty())
      continue;
    isDealt = true;
    if (op.getInputDilation()[i] != 1)
      return false;
  }
  if (!isDealt ||
      (op.getGroups() != 1 && !to.dims[dims.getOutputFeature()].empty()))
    return false;
  RankedTensorType input = tensorTypeOf(op.getInput()),
                   kernel = tensorTypeOf(op.getKernel()),
                   result = tensorTypeOf(op.getResult());
  Layout from = Layout::whole(input.getRank());
  from.dims[dims.getInputBatch()] = to.dims[dims.getOutputBatch()];
  for (auto [in, out] : llvm::zip_equal(inputs, outputs))
    from.dims[in] = to.dims[out];
  Layout filters = Layout::whole(kernel.getRank());
  filters.dims[dims.getKernelOutput()] = to.dims[dims.getOutputFeature()];
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getInput(), from);
  Value weights = p.request(op.getKernel(), filters);
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
  for (auto [i, dim] : llvm::enumerate(inputs)) {
    const Atoms &atoms = from.dims[dim];
    if (atoms.empty())
      continue;
    int64_t reach =
        (kernel.getDimSize(kernels[i]) - 1) * op.getKernelDilation()[i] + 1;
    source = windowRows(x, source, dim, atoms, input.getDimSize(dim),
                        result.getDimSize(outputs[i]), op.getStrides()[i],
                        reach, low[i], Value());
    low[i] = high[i] = 0;
  }
  auto built = cast<graph::ConvolutionOp>(p.b.clone(*op));
  built->setOperands({source, weights});
  built.setLow(low);
  built.setHigh(high);
  built.getResult().setType(p.axes.blockType(result, to));
  p.set(op.getResult(), to, built.getResult());
  return true;
}

static bool reduceWindow(Partitioner &p, graph::ReduceWindowOp op) {
  Layout to = targetLayout(p, *op);
  RankedTensorType input = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  auto isWindowed = [&](int64_t dim) {
    return op.getWindow()[dim] != 1 || op.getStrides()[dim] != 1 ||
           op.getLow()[dim] != 0 || op.getHigh()[dim] != 0 ||
           op.getBaseDilation()[dim] != 1;
  };
  bool isDealt = false;
  for (auto [dim, atoms] : llvm::enumerate(to.dims)) {
    if (atoms.empty() || !isWindowed(int64_t(dim)))
      continue;
    isDealt = true;
    if (op.getBaseDilation()[dim] != 1)
      return false;
  }
  if (!isDealt)
    return false;
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), to);
  Value neutral = p.b.create<graph::ConstantOp>(
      op.getLoc(),
      cast<ElementsAttr>(neutralElement(op.getKind(), input.getElementType())));
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
  for (auto [dim, atoms] : llvm::enumerate(to.dims)) {
    if (atoms.empty() || !isWindowed(int64_t(dim)))
      continue;
    int64_t reach = (op.getWindow()[dim] - 1) * op.getDilation()[dim] + 1;
    source = windowRows(x, source, int64_t(dim), atoms, input.getDimSize(dim),
                        result.getDimSize(dim), op.getStrides()[dim], reach,
                        low[dim], neutral);
    low[dim] = high[dim] = 0;
  }
  auto built = cast<graph::ReduceWindowOp>(p.b.clone(*op));
  built->setOperands(source);
  built.setLow(low);
  built.setHigh(high);
  built.getResult().setType(p.axes.blockType(result, to));
  p.set(op.getResult(), to, built.getResult());
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
      .Case<graph::ConvolutionOp>(
          [&](auto windows) { return convolution(*this, windows); })
      .Case<graph::ReduceWindowOp>(
          [&](auto windows) { return reduceWindow(*this, windows); })
      .Case<graph::DynamicSliceOp, graph::DynamicUpdateSliceOp,
            graph::ScatterOp, graph::GatherOp>(
          [&](auto) { return byOwner(op); })
      .Default(false);
}
