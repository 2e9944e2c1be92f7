// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of complex elements, which are (real, imaginary) pairs in memory: lanes
// of a part are every other lane of a vector of twice as many.

#include "lowering/elements/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

static Value constantPart(KernelBuilder &kernel, graph::ConstantOp op,
                          bool imaginary) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return {};
  auto value = elements.getSplatValue<std::complex<APFloat>>();
  auto type = cast<ComplexType>(elements.getElementType());
  return kernel.constant(FloatAttr::get(
      type.getElementType(), imaginary ? value.imag() : value.real()));
}

Value ElementEmitter::imaginaryPart(Value value, ArrayRef<LaneIndex> index) {
  int64_t row = tileRowOf(index);
  for (Frame &frame : llvm::reverse(frames))
    for (const Memo &entry : frame.imaginary[value])
      if (entry.mask == mask && entry.tileRow == row &&
          ArrayRef(entry.index) == index)
        return entry.lanes;
  Value lanes = complexPart(value, /*imaginary=*/true, index);
  if (lanes)
    frames.back().imaginary[value].push_back(
        {SmallVector<LaneIndex, 4>(index), mask, row, lanes});
  return lanes;
}

Value ElementEmitter::complexPart(Value value, bool imaginary,
                                  ArrayRef<LaneIndex> index) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &kernel.fusion.getBody().front())
      return unsupported(argument.getOwner()->getParentOp(),
                         "a region on complex numbers");
    return loadComplexPart(kernel.memoryOf(argument), imaginary,
                           linearize(argument, index));
  }
  Operation *op = value.getDefiningOp();
  if (isa<graph::ComplexOp>(op))
    return emit(op->getOperand(imaginary ? 1 : 0), index);
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    if (Value part = constantPart(kernel, constant, imaginary))
      return part;
    return unsupported(op, "a complex constant with different elements");
  }
  if (graph::familyOf(op) == graph::Family::Movement)
    if (auto operand = operandIndex(indices, kernel.dims, op, 0, index))
      return complexPart(op->getOperand(0), imaginary, *operand);
  return unsupported(op, "on complex elements");
}

// Each lane's mask for both parts.
Value ElementEmitter::interleavedMask() {
  SmallVector<int64_t> twice;
  for (int64_t lane = 0; lane < int64_t(indices.width); ++lane)
    twice.append({lane, lane});
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, mask, mask, twice);
}

Value ElementEmitter::loadComplexPart(Value memory, bool imaginary,
                                      const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  LaneIndex first = indices.scale(linear, 2);
  bool contiguous = indices.width > 1 && !linear.perLane &&
                    indices.laneStride(linear).isConstant(1);
  if (!contiguous)
    return loadLinear(memory, element, indices.shift(first, imaginary));
  unsigned width = indices.width;
  auto type = VectorType::get({2 * int64_t(width)}, element);
  Value at = indices.laneBase(first), both;
  if (mask)
    both = b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, at,
                                          interleavedMask(),
                                          kernel.constant(type, 0.0));
  else
    both = b.create<vector::LoadOp>(kernel.loc, type, memory, at);
  SmallVector<int64_t> part;
  for (int64_t lane = 0; lane < int64_t(width); ++lane)
    part.push_back(2 * lane + imaginary);
  return b.create<vector::ShuffleOp>(kernel.loc, both, both, part);
}

void ElementEmitter::storeComplex(Value memory, Value real, Value imaginary,
                                  const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  LaneIndex first = indices.scale(linear, 2);
  bool contiguous = indices.width > 1 && !linear.perLane &&
                    indices.laneStride(linear).isConstant(1);
  if (!contiguous) {
    storeLinear(memory, element, real, first);
    storeLinear(memory, element, imaginary, indices.shift(first, 1));
    return;
  }
  int64_t width = indices.width;
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < width; ++lane)
    order.append({lane, width + lane});
  Value both =
      b.create<vector::ShuffleOp>(kernel.loc, kernel.broadcast(real, width),
                                  kernel.broadcast(imaginary, width), order);
  Value at = indices.laneBase(first);
  if (mask)
    b.create<vector::MaskedStoreOp>(kernel.loc, memory, at, interleavedMask(),
                                    both);
  else
    b.create<vector::StoreOp>(kernel.loc, both, memory, at);
}

} // namespace zenith::kernels
