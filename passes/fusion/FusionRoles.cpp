// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles by family and op; costs by the number of instructions that an element
// takes.

#include "passes/fusion/FusionRoles.h"
#include "ir/SearchOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/IotaIndices.h"
#include "passes/cost/CostRule.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

static bool isScalar(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 0;
}

/// Sizes are made of dimensions; a symbol that stands for data in memory makes
/// it an ordinary value.
bool isSize(Value value, DimAnalysis &dims) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 ||
      !type.getElementType().isSignlessInteger(64))
    return false;
  if (!isa_and_nonnull<DimOp, AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp,
                       MaxOp, MinOp>(value.getDefiningOp()))
    return false;
  bool known = true;
  dims.scalar(value).forEachSymbol([&](const std::string &name) {
    known &= !StringRef(name).starts_with("%i");
  });
  return known;
}

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat();
}

/// Scalar arithmetic on sizes and constants: each kernel computes it once.
static bool isFreeScalar(Operation *op, DimAnalysis &dims) {
  if (familyOf(op) != Family::Elementwise || !isScalar(op->getResult(0)))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return isSize(operand, dims) || isSplatConstant(producer) ||
           (producer && isFreeScalar(producer, dims));
  });
}

static Role movementRole(Operation *op) {
  if (isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp, IotaOp, ReverseOp>(op))
    return Role::Free;
  if (isa<ConstantOp>(op))
    return isSplatConstant(op) ? Role::Free : Role::Outside;
  return isa<DimOp>(op) ? Role::Outside : Role::Pointwise;
}

static bool isAlone(Operation *op) {
  std::optional<Family> family = familyOf(op);
  return family == Family::Ordering || family == Family::Search ||
         family == Family::LinearAlgebra ||
         isa<ScatterOp, ScatterWithOp, ReduceWithOp, ReduceWindowWithOp,
             CustomCallOp>(op);
}

/// An update of memory that somebody made: the kernel may write the part only.
static bool updatesMemory(Operation *op) {
  auto update = dyn_cast<DynamicUpdateSliceOp>(op);
  Value operand = update ? update.getOperand() : Value();
  while (operand && operand.getDefiningOp<ReshapeOp>())
    operand = operand.getDefiningOp()->getOperand(0);
  return operand && !isa_and_nonnull<ConstantOp, BroadcastOp, IotaOp>(
                        operand.getDefiningOp());
}

FusionKind kindAlone(Operation *op) {
  if (isa<ScatterOp, ScatterWithOp, DynamicUpdateSliceOp>(op))
    return FusionKind::scatter;
  if (isa<ReduceWithOp>(op))
    return FusionKind::reduction;
  return isa<ReduceWindowWithOp>(op) ? FusionKind::window : FusionKind::routine;
}

bool readsMemory(Operation *op, unsigned number) {
  if (isa<ReduceWithOp, ReduceWindowWithOp>(op))
    return number < op->getNumOperands() / 2;
  if (isa<ScatterOp, ScatterWithOp, DynamicUpdateSliceOp>(op))
    return false;
  if (isa<TopKOp>(op))
    return number == 0;
  if (isa<CompactOp>(op) && iotaListOf(op->getOperand(number)))
    return false;
  if (readsChunks(op, number))
    return false;
  return !isa<NonMaxSuppressionOp>(op) || number < 2;
}

bool readsChunks(Operation *op, unsigned number) {
  if (auto keys = dyn_cast<search::DedupOp>(op))
    return number < keys.getCandidates().size();
  return isa<search::BitsetDifferenceOp, search::TestAndSetOp>(op) &&
         number > 0;
}

/// The size of positions that perhaps nobody writes down, where it only says
/// how often a scalar is repeated for them.
static bool isSizeOfPositions(Operation *op) {
  return isa<DimOp>(op) &&
         op->getOperand(0).getDefiningOp<search::BitPositionsOp>() &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) { return isa<BroadcastOp>(user); });
}

/// Groups of very few channels are windows of their own, of which a vector of
/// channels holds several.
static bool multipliesMatrices(ConvolutionOp op) {
  constexpr int64_t fewestChannels = 4;
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  int64_t inputs = kernel.getDimSize(op.getDims().getKernelInput()),
          outputs = kernel.getDimSize(op.getDims().getKernelOutput());
  bool fillsVector = inputs == fewestChannels &&
                     outputs == inputs * int64_t(op.getGroups()) &&
                     isa<FloatType>(kernel.getElementType());
  return op.getGroups() == 1 || (inputs >= fewestChannels && !fillsVector);
}

Role roleOf(Operation *op, DimAnalysis &dims) {
  std::optional<Family> family = familyOf(op);
  if (!family || op->getNumResults() == 0)
    return Role::Outside;
  if (isAlone(op) || updatesMemory(op))
    return Role::Alone;
  if (op->getNumResults() != 1)
    return Role::Outside;
  if (isSizeOfPositions(op))
    return Role::Free;
  if (isSize(op->getResult(0), dims))
    return Role::Outside;
  switch (*family) {
  case Family::Elementwise:
    return isFreeScalar(op, dims) ? Role::Free : Role::Pointwise;
  case Family::Movement:
    return movementRole(op);
  case Family::Indexing:
    return Role::Pointwise;
  case Family::Composite:
    if (isa<AttentionOp>(op))
      return Role::Contraction;
    return isa<GeluOp, BatchNormOp>(op) ? Role::Pointwise : Role::Reduction;
  case Family::Reduction:
    return isa<ReduceWindowOp>(op) ? Role::Window
           : isa<CumulativeOp>(op) ? Role::Running
                                   : Role::Reduction;
  case Family::Contraction:
    if (auto convolution = dyn_cast<ConvolutionOp>(op))
      return multipliesMatrices(convolution) ? Role::Contraction : Role::Window;
    return Role::Contraction;
  default:
    return Role::Outside;
  }
}

bool takesBytes(OpOperand &use) {
  Operation *product = use.getOwner();
  if (!isa<DotGeneralOp, ConvolutionOp>(product) || use.getOperandNumber() != 0)
    return false;
  auto panels = matchUnpackedPanels(product->getOperand(1));
  return panels && panels->group == 4;
}

Value bytesOfWindow(Value operand) {
  constexpr unsigned mostSteps = 4;
  auto type = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  for (unsigned steps = 0; steps < mostSteps; ++steps) {
    Operation *op = operand.getDefiningOp();
    bool isStep = isa_and_nonnull<ConvertOp>(op) ||
                  (isa_and_nonnull<AddOp, SubOp, MulOp>(op) &&
                   isSplatConstant(op->getOperand(1).getDefiningOp()));
    if (!isStep)
      return {};
    operand = op->getOperand(0);
    if (type(operand).isInteger(8))
      return operand;
  }
  return {};
}

SmallVector<int64_t> foldedDims(Operation *reduction) {
  auto from = [&](int64_t axis) {
    return llvm::to_vector(llvm::seq<int64_t>(
        axis,
        cast<RankedTensorType>(reduction->getResult(0).getType()).getRank()));
  };
  return llvm::TypeSwitch<Operation *, SmallVector<int64_t>>(reduction)
      .Case([](ReduceOp op) { return SmallVector<int64_t>(op.getDims()); })
      .Case([](ArgReduceOp op) {
        return SmallVector<int64_t>{int64_t(op.getDim())};
      })
      .Case([](SoftmaxOp op) { return SmallVector<int64_t>(op.getDims()); })
      .Case([](LogSoftmaxOp op) { return SmallVector<int64_t>(op.getDims()); })
      .Case([&](LayerNormOp op) { return from(op.getAxis()); })
      .Case([&](RmsNormOp op) { return from(op.getAxis()); })
      .Default([](Operation *) { return SmallVector<int64_t>(); });
}

unsigned elementCost(Operation *op) {
  auto rule = dyn_cast<cost::CostRule>(op);
  return rule ? rule.elementCost() : 1;
}

} // namespace zenith::fusion
