// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of contractions: they address operands through strides or packed
// panels, and take an epilogue; depthwise convolutions are windows, and linear
// algebra calls routines on plain memory.

#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/DepthwiseDots.h"
#include "ir/encodings/FewRows.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/StridedBase.h"
#include "ir/matchers/StridedView.h"
#include "ir/target/TargetModel.h"
#include "passes/fusion/FusionRule.h"
#include "passes/fusion/NarrowOperands.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// Grouped convolutions with fewer than 4 channels per group run as depthwise
/// ones: one vector of channels covers several groups. Their taps are code, so
/// that their number is known.
static bool isMatmul(ConvolutionOp op) {
  constexpr int64_t minChannels = 4;
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  int64_t inputs = kernel.getDimSize(op.getDims().getKernelInput()),
          outputs = kernel.getDimSize(op.getDims().getKernelOutput());
  bool fillsVector = inputs == minChannels &&
                     outputs == inputs * int64_t(op.getGroups()) &&
                     isa<FloatType>(kernel.getElementType());
  bool isKnown =
      !ShapedType::isDynamic(inputs) && !ShapedType::isDynamic(outputs);
  return op.getGroups() == 1 || !isKnown ||
         (inputs >= minChannels && !fillsVector);
}

/// The packed panels that a contraction reads; for Winograd convolution, those
/// of the transformed filter.
static std::optional<PackedPanels> panelsOf(Operation *op, Value operand) {
  auto convolution = dyn_cast<ConvolutionOp>(op);
  if (convolution && operand == convolution.getKernel())
    if (auto filter = matchTransformedFilter(convolution))
      return matchUnpackedPanels(filter->matrix);
  return matchUnpackedPanels(operand);
}

/// Few rows of bf16 are multiplied in pairs by codes.
static bool meetsCodes(OpOperand &use) {
  auto dot = dyn_cast<DotGeneralOp>(use.getOwner());
  bool isNarrow =
      getElementTypeOrSelf(beforeWidening(use.get()).getType()).isBF16();
  if (!dot || use.getOperandNumber() != 0 || !isNarrow || !hasFewRows(dot))
    return false;
  auto panels = matchUnpackedPanels(dot.getRhs());
  auto codes = panels ? matchCodedPanels(panels->packed) : std::nullopt;
  if (!codes || !areLookedUp(*codes))
    return false;
  target::TargetModel model = target::modelOf(dot);
  return model.bf16Pairs && model.vbmi;
}

static bool widensInGemm(OpOperand &use) {
  return readsInt8(use) || widensInRegisters(use) || meetsCodes(use);
}

namespace {

struct DotGeneralFusion
    : FusionRule::ExternalModel<DotGeneralFusion, DotGeneralOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Contraction; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::contraction;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &dims) const {
    SmallVector<Value> needed;
    for (Value operand : op->getOperands()) {
      auto panels = panelsOf(op, operand);
      auto coded = panels ? matchCodedPanels(panels->packed) : std::nullopt;
      if (coded) {
        needed.append({coded->integers, coded->scales});
        if (coded->zeros)
          needed.push_back(coded->zeros);
        continue;
      }
      needed.push_back(panels ? panels->packed
                              : stridedBase(beforeWidening(operand), dims));
    }
    return needed;
  }
  bool widensOperand(Operation *op, unsigned operand) const {
    return widensInGemm(op->getOpOperand(operand));
  }
};

struct ConvolutionFusion
    : FusionRule::ExternalModel<ConvolutionFusion, ConvolutionOp> {
  Role role(Operation *op, DimAnalysis &) const {
    return isMatmul(cast<ConvolutionOp>(op)) ? Role::Contraction : Role::Window;
  }
  std::optional<FusionKind> kernelKind(Operation *op) const {
    return isMatmul(cast<ConvolutionOp>(op)) ? FusionKind::contraction
                                             : FusionKind::window;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &dims) const {
    SmallVector<Value> needed;
    if (isMatmul(cast<ConvolutionOp>(op))) {
      for (Value operand : op->getOperands()) {
        auto panels = panelsOf(op, operand);
        needed.push_back(panels ? panels->packed
                                : viewOf(beforeWidening(operand), dims).base);
      }
      return needed;
    }
    auto input = int8InputOf(op);
    needed.push_back(input ? input->source : op->getOperand(0));
    Value filter = op->getOperand(1);
    needed.push_back(matchInt8Depthwise(cast<ConvolutionOp>(op))
                         ? beforeWidening(filter)
                         : filter);
    return needed;
  }
  bool widensOperand(Operation *op, unsigned operand) const {
    auto convolution = cast<ConvolutionOp>(op);
    if (matchInt8Depthwise(convolution))
      return operand == 1;
    OpOperand &use = op->getOpOperand(operand);
    return isMatmul(convolution) ? widensInGemm(use) : readsInt8(use);
  }
};

} // namespace

void attachContractionFusion(MLIRContext *context) {
  DotGeneralOp::attachInterface<DotGeneralFusion>(*context);
  ConvolutionOp::attachInterface<ConvolutionFusion>(*context);
}

} // namespace zenith::fusion
