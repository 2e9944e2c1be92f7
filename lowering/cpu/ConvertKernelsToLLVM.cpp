// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One conversion with the patterns of all kernel dialects: no casts to
// reconcile and one walk instead of eight.

#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/builder/KernelAttributes.h"

#include "lowering/LoweringPasses.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_CONVERTKERNELSTOLLVMPASS
#include "lowering/LoweringPasses.h.inc"

namespace {
class ConvertKernelsToLLVMPass
    : public impl::ConvertKernelsToLLVMPassBase<ConvertKernelsToLLVMPass> {
  void runOnOperation() override {
    ModuleOp kernels = getOperation().lookupSymbol<ModuleOp>("kernels");
    if (failed(cpu::convertKernelsToLLVM(kernels ? kernels : getOperation())))
      signalPassFailure();
  }
};
} // namespace
} // namespace zenith

namespace zenith::cpu {

void registerKernelDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Kernels share no memory through two arguments unless they say so; see
/// kernels.md, section 5.
static void markNoAlias(func::FuncOp kernel) {
  UnitAttr unit = UnitAttr::get(kernel.getContext());
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (!isa<MemRefType>(kernel.getArgument(index).getType()))
      continue;
    if (kernel.getArgAttr(index, kernels::mayAliasAttrName))
      kernel.removeArgAttr(index, StringAttr::get(kernel.getContext(),
                                                  kernels::mayAliasAttrName));
    else
      kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
  }
}

/// The conversion passes these attributes on to the llvm.func.
static void setPrivateLinkage(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  if (function->removeAttr(kernels::sharedAttrName))
    function->setAttr("visibility_", LLVM::VisibilityAttr::get(
                                         context, LLVM::Visibility::Hidden));
  else
    function->setAttr("llvm.linkage",
                      LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
}

/// Structured loops to blocks, and vector ops of several dimensions to those of
/// one.
static LogicalResult lowerStructure(ModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  RewritePatternSet loops(context);
  populateSCFToControlFlowConversionPatterns(loops);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(kernels, target, std::move(loops))))
    return failure();

  RewritePatternSet patterns(context);
  vector::VectorTransformsOptions options;
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, options);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  GreedyRewriteConfig config;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  return applyPatternsAndFoldGreedily(kernels, std::move(patterns), config);
}

/// Math ops for which LLVM has no intrinsic (erf, tanh, ...) become calls of
/// libm.
static LogicalResult lowerToLibm(ModuleOp kernels) {
  bool any = false;
  kernels.walk(
      [&](Operation *op) { any |= isa<math::MathDialect>(op->getDialect()); });
  if (!any)
    return success();
  RewritePatternSet patterns(kernels.getContext());
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*kernels.getContext());
  enum { Intrinsic, Library };
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)                              \
  if (BY == Library)                                                           \
    target.addIllegalOp<math::MATH##Op>();
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY)                             \
  ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)
#include "ir/ElementaryFunctions.def"
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(kernels, target, std::move(patterns));
}

/// Removes casts index -> i64 -> index and the like, which conversion leaves at
/// the borders of blocks.
static void dropCasts(ModuleOp kernels) {
  SmallVector<UnrealizedConversionCastOp> casts;
  kernels.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  for (UnrealizedConversionCastOp cast : casts) {
    if (cast.getNumOperands() != 1 || cast.getNumResults() != 1)
      continue;
    Value source = cast.getOperand(0);
    while (auto before = source.getDefiningOp<UnrealizedConversionCastOp>()) {
      if (before.getNumOperands() != 1)
        break;
      source = before.getOperand(0);
    }
    if (source.getType() == cast.getResult(0).getType())
      cast.getResult(0).replaceAllUsesWith(source);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (UnrealizedConversionCastOp &cast : casts)
      if (cast && cast.use_empty()) {
        cast.erase();
        cast = nullptr;
        changed = true;
      }
  }
}

LogicalResult convertKernelsToLLVM(ModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  for (func::FuncOp kernel : kernels.getOps<func::FuncOp>()) {
    if (kernel.isDeclaration())
      continue;
    if (kernel.isPrivate())
      setPrivateLinkage(kernel);
    else
      markNoAlias(kernel);
  }
  if (failed(lowerStructure(kernels)) || failed(lowerToLibm(kernels)))
    return failure();

  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(kernels, target, std::move(patterns))))
    return failure();
  dropCasts(kernels);
  return success();
}

} // namespace zenith::cpu
