// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of movement ops: index maps, and selects where an index may be out
// of bounds.

#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementRule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

bool dependsOnData(const DimExpr &expr) {
  bool fromData = false;
  expr.forEachSymbol([&](const std::string &name) {
    fromData |= StringRef(name).starts_with("%i");
  });
  return fromData;
}

std::optional<DimExpr> knownScalar(graph::DimAnalysis &dims, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() != 0 || !type.getElementType().isSignlessInteger(64))
    return std::nullopt;
  DimExpr expr = dims.scalar(value);
  return dependsOnData(expr) ? std::nullopt : std::optional(expr);
}

SmallVector<DimExpr> mixedEntries(graph::DimAnalysis &dims,
                                  ArrayRef<int64_t> fixed,
                                  ValueRange operands) {
  SmallVector<DimExpr> entries;
  for (int64_t entry : fixed) {
    entries.push_back(ShapedType::isDynamic(entry)
                          ? dims.scalar(operands.front())
                          : DimExpr(entry));
    if (ShapedType::isDynamic(entry))
      operands = operands.drop_front();
  }
  return entries;
}

// Groups of dimensions with equal element counts, as [from begin, from end) and
// [to begin, to end).
static void
forEachGroup(ArrayRef<DimExpr> from, ArrayRef<DimExpr> to,
             function_ref<void(unsigned, unsigned, unsigned, unsigned)> body) {
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    unsigned firstFrom = i, firstTo = j;
    DimExpr left = 1, right = 1;
    bool grown = false;
    while (!grown || left != right) {
      bool growLeft =
          i < from.size() &&
          (j == to.size() || !left.exactDiv(right) || left == right);
      bool growRight = !growLeft || (left == right && j < to.size());
      if (growLeft)
        left = left * from[i++];
      if (growRight && j < to.size())
        right = right * to[j++];
      grown = true;
      if (i == from.size() && j == to.size())
        break;
    }
    if (i == from.size())
      j = to.size();
    if (j == to.size())
      i = from.size();
    body(firstFrom, i, firstTo, j);
  }
}

static SmallVector<LaneIndex> reshapeIndex(IndexMath &math,
                                           ArrayRef<DimExpr> from,
                                           ArrayRef<DimExpr> to,
                                           ArrayRef<LaneIndex> index) {
  SmallVector<LaneIndex> result(from.size());
  forEachGroup(from, to,
               [&](unsigned i, unsigned iEnd, unsigned j, unsigned jEnd) {
                 LaneIndex linear(0);
                 DimExpr stride = 1;
                 for (unsigned d = jEnd; d-- > j;) {
                   linear = math.add(linear, math.scale(index[d], stride));
                   stride = stride * to[d];
                 }
                 // Dimensions of size 1 are left out; the outermost other
                 // dimension gets the whole quotient.
                 while (i < iEnd && from[i].isConstant(1))
                   ++i;
                 for (unsigned d = iEnd; d-- > i;) {
                   if (from[d].isConstant(1))
                     continue;
                   if (d == i) {
                     result[d] = linear;
                     break;
                   }
                   std::tie(linear, result[d]) = math.divide(linear, from[d]);
                 }
               });
  return result;
}

std::optional<SmallVector<LaneIndex>>
operandIndex(IndexMath &math, graph::DimAnalysis &dims, Operation *op,
             unsigned number, ArrayRef<LaneIndex> index) {
  if (graph::familyOf(op) == graph::Family::Elementwise)
    return SmallVector<LaneIndex>(index);
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
    SmallVector<LaneIndex> result;
    for (auto [d, target] : llvm::enumerate(broadcast.getMapping()))
      result.push_back(type.getDimSize(d) == 1 ? LaneIndex(0) : index[target]);
    return result;
  }
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    SmallVector<LaneIndex> result(index.size());
    for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
      result[source] = index[d];
    return result;
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return reshapeIndex(math, dims.dimsOf(reshape.getOperand()),
                        dims.dimsOf(reshape.getResult()), index);
  if (auto reverse = dyn_cast<graph::ReverseOp>(op)) {
    SmallVector<LaneIndex> result(index);
    for (int64_t d : reverse.getDims())
      result[d] = math.shift(math.scale(index[d], -1),
                             dims.dimOf(reverse.getOperand(), d) - 1);
    return result;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    auto starts =
        mixedEntries(dims, slice.getStaticStarts(), slice.getStarts());
    SmallVector<LaneIndex> result;
    for (auto [d, x] : llvm::enumerate(index))
      result.push_back(
          math.shift(math.scale(x, slice.getStrides()[d]), starts[d]));
    return result;
  }
  return std::nullopt;
}

// Splats and known positions are constants; the rest goes to a buffer on the
// stack, filled once per call.
Value ElementEmitter::constantElement(graph::ConstantOp op,
                                      ArrayRef<LaneIndex> index) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return unsupported(op, "a constant that isn't inline");
  Type element = elements.getElementType();
  Type stored = memoryType(element);
  auto attributeOf = [&](int64_t position) -> TypedAttr {
    if (isa<FloatType>(element)) {
      APFloat value = elements.getValues<APFloat>()[position];
      if (isa<IntegerType>(stored))
        return IntegerAttr::get(stored, value.bitcastToAPInt());
      return FloatAttr::get(element, value);
    }
    APInt value = elements.getValues<APInt>()[position];
    unsigned width = stored.getIntOrFloatBitWidth();
    bool zero = element.isUnsignedInteger() || element.isInteger(1);
    return IntegerAttr::get(stored, zero ? value.zextOrTrunc(width)
                                         : value.sextOrTrunc(width));
  };
  LaneIndex linear = linearize(op.getResult(), index);
  bool known =
      linear.terms.empty() && linear.offset.constant() && !linear.perLane;
  if (elements.isSplat() || known)
    return toRegister(element,
                      kernel.constant(attributeOf(
                          elements.isSplat() ? 0 : *linear.offset.constant())));
  int64_t count = elements.getNumElements();
  Value &buffer = constantBuffers[op];
  if (!buffer) {
    OpBuilder::InsertionGuard guard(kernel.b);
    kernel.moveToEntry();
    SmallVector<Attribute> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(attributeOf(i));
    auto type = VectorType::get({count}, stored);
    Value whole = kernel.b.create<arith::ConstantOp>(
        kernel.loc, DenseElementsAttr::get(type, values));
    buffer = kernel.b.create<memref::AllocaOp>(
        kernel.loc, MemRefType::get({count}, stored));
    auto store = kernel.b.create<vector::StoreOp>(kernel.loc, whole, buffer,
                                                  ValueRange{kernel.index(0)});
    kernel.entryEndsWith(store);
  }
  return loadLinear(buffer, element, linear);
}

Value ElementEmitter::iota(graph::IotaOp op, ArrayRef<LaneIndex> index) {
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Value position = indices.value(index[op.getDim()]);
  Type i64 = typeLike(kernel.b.getI64Type(), position.getType());
  Value wide = kernel.b.create<arith::IndexCastOp>(kernel.loc, i64, position);
  return convertElement(*this, wide, kernel.b.getI64Type(), element);
}

static Value both(KernelBuilder &kernel, Value x, Value y) {
  return !x   ? y
         : !y ? x
              : kernel.b.create<arith::AndIOp>(kernel.loc, x, y).getResult();
}

bool ElementEmitter::Conditions::add(KernelBuilder &kernel,
                                     const Inside &inside) {
  if (inside.second)
    return false;
  if (inside.first) {
    Value &target = isa<VectorType>(inside.first.getType()) ? lanes : uniform;
    target = both(kernel, target, inside.first);
  }
  return true;
}

Value ElementEmitter::guarded(const Conditions &conditions, bool lanes,
                              function_ref<Value()> then,
                              function_ref<Value()> otherwise) {
  auto inner = [&] {
    return conditions.lanes ? choose(conditions.lanes, lanes, then, otherwise)
                            : then();
  };
  return conditions.uniform
             ? choose(conditions.uniform, lanes, inner, otherwise)
             : inner();
}

bool ElementEmitter::anyLanes(ArrayRef<LaneIndex> index) {
  return indices.width > 1 && llvm::any_of(index, [&](const LaneIndex &x) {
           return !indices.uniform(x);
         });
}

Value ElementEmitter::pad(graph::PadOp op, ArrayRef<LaneIndex> index) {
  auto low = mixedEntries(kernel.dims, op.getStaticLow(), op.getLow());
  const graph::DimVector dims = dimsOf(op.getOperand()),
                         resultDims = dimsOf(op.getResult());
  auto padding = [&] { return emit(op.getValue(), {}); };
  SmallVector<LaneIndex> inner;
  Conditions conditions;
  for (auto [d, x] : llvm::enumerate(index)) {
    LaneIndex shifted = indices.shift(x, DimExpr(0) - low[d]);
    int64_t step = op.getInterior()[d] + 1;
    // No offset is added: x may stand for several collapsed dimensions.
    if (step == 1 && low[d].isConstant(0) && dims[d] == resultDims[d]) {
      inner.push_back(x);
      continue;
    }
    if (step > 1) {
      auto fixed = low[d].constant();
      if (!fixed)
        return unsupported(op, "dynamic low padding with interior padding");
      int64_t turns = std::max<int64_t>(0, (*fixed + step - 1) / step);
      auto [quotient, remainder] =
          indices.divide(indices.shift(shifted, turns * step), step);
      if (!conditions.add(kernel, inside(remainder, 0, 1)))
        return padding();
      shifted = indices.shift(quotient, -turns);
    }
    if (!conditions.add(kernel, inside(shifted, 0, dims[d])))
      return padding();
    inner.push_back(shifted);
  }
  return guarded(
      conditions, anyLanes(index), [&] { return emit(op.getOperand(), inner); },
      padding);
}

Value ElementEmitter::concat(graph::ConcatOp op, ArrayRef<LaneIndex> index) {
  int64_t dim = op.getDim();
  DimExpr begin = 0;
  SmallVector<DimExpr> begins;
  for (Value piece : op.getOperands()) {
    begins.push_back(begin);
    begin = begin + kernel.dims.dimOf(piece, dim);
  }
  std::function<Value(unsigned)> from = [&](unsigned number) -> Value {
    Value piece = op.getOperands()[number];
    SmallVector<LaneIndex> inner(index);
    inner[dim] = indices.shift(index[dim], DimExpr(0) - begins[number]);
    DimExpr size = kernel.dims.dimOf(piece, dim);
    bool last = number + 1 == op.getOperands().size();
    Conditions conditions;
    bool possible = conditions.add(kernel, inside(inner[dim], 0, size));
    if (!possible)
      return last ? emit(piece, inner) : from(number + 1);
    if (last) {
      // Lanes of earlier operands are here too; they must not be read.
      if (!conditions.lanes)
        return emit(piece, inner);
      Scope scope(*this);
      mask = both(kernel, mask, conditions.lanes);
      return emit(piece, inner);
    }
    return guarded(
        conditions, anyLanes(index), [&] { return emit(piece, inner); },
        [&] { return from(number + 1); });
  };
  return from(0);
}

namespace {

/// Ops whose elements are elements of the operand at another index.
template <typename Op>
struct IndexMapElement : ElementRule::ExternalModel<IndexMapElement<Op>, Op> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex> index) const {
    auto operand =
        operandIndex(emitter.indices, emitter.kernel.dims, op, 0, index);
    return operand ? emitter.emit(op->getOperand(0), *operand)
                   : emitter.unsupported(op);
  }
};

struct DimElement : ElementRule::ExternalModel<DimElement, graph::DimOp> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex>) const {
    auto dim = cast<graph::DimOp>(op);
    KernelBuilder &kernel = emitter.kernel;
    Value size = kernel.size(kernel.dims.dimOf(dim.getOperand(), dim.getDim()));
    return kernel.b.create<arith::IndexCastOp>(kernel.loc,
                                               kernel.b.getI64Type(), size);
  }
};

} // namespace

void attachMovementElements(MLIRContext *context) {
  using namespace graph;
  attachAll<IndexMapElement, BroadcastOp, TransposeOp, ReshapeOp, ReverseOp,
            SliceOp>(context);
  DimOp::attachInterface<DimElement>(*context);
  ConstantOp::attachInterface<MethodElement<&ElementEmitter::constantElement>>(
      *context);
  IotaOp::attachInterface<MethodElement<&ElementEmitter::iota>>(*context);
  PadOp::attachInterface<MethodElement<&ElementEmitter::pad>>(*context);
  ConcatOp::attachInterface<MethodElement<&ElementEmitter::concat>>(*context);
}

} // namespace zenith::kernels
