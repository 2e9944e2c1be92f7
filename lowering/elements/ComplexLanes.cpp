// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real and imaginary parts of operands, constants and moved values.

#include "lowering/elements/ComplexLanes.h"
#include "lowering/builder/IndexMaps.h"
#include <complex>

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

Value ComplexLanes::imaginary(Value value, ArrayRef<LaneIndex> index,
                              Value mask) {
  auto group = LaneMemo::Group::of(index, mask, indices);
  for (const LaneMemo &scope : llvm::reverse(scopes))
    if (Value lanes = scope.find(value, group))
      return lanes;
  Value lanes = part(value, Imaginary, index);
  if (lanes)
    scopes.back().keep(value, group, lanes);
  return lanes;
}

Value ComplexLanes::part(Value value, Part which, ArrayRef<LaneIndex> index) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &kernel.fusion.getBody().front())
      return source.unsupported(argument.getOwner()->getParentOp(),
                                "a region on complex numbers");
    return memory.loadPart(
        kernel.memoryOf(argument), which,
        linearize(indices, kernel.dims.dimsOf(argument), index));
  }
  Operation *op = value.getDefiningOp();
  if (isa<graph::ComplexOp>(op))
    return source.emit(op->getOperand(which), index);
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    if (Value lanes = constantPart(kernel, constant, which))
      return lanes;
    return source.unsupported(op, "a complex constant with different elements");
  }
  if (graph::familyOf(op) == graph::Family::Movement)
    if (auto operand = operandIndex(indices, kernel.dims, op, index))
      return part(op->getOperand(0), which, *operand);
  return source.unsupported(op, "on complex elements");
}

} // namespace zenith::kernels
