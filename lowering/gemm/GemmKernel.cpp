// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the variants of a contraction: Winograd, small-M and plain GEMM, with
// the copies that they need.

#include "lowering/gemm/GemmKernel.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/gemm/GemmNest.h"
#include "lowering/gemm/SyrkMirror.h"
#include "lowering/gemm/WinogradKernel.h"
#include "lowering/packing/PackPanels.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Emits the kernels of a contraction into a plan.
struct GemmEmitter {
  const EmissionContext &context;
  KernelPlan plan;

  LogicalResult emitWinograd(ArrayRef<ScheduledWinograd> variants,
                             bool onlyOne);
  LogicalResult emitPreparations(const ScheduledGemm &gemm,
                                 const DimExpr &guard);
  LogicalResult emitVariant(const ScheduledGemm &gemm, const Twine &suffix);
  void emitMirror(const ScheduledGemm &gemm);
  LogicalResult add(FailureOr<Launch> launch, const DimExpr &guard);
  std::string nameOf(const Twine &suffix) const {
    return (context.name + suffix).str();
  }
};

} // namespace

LogicalResult GemmEmitter::add(FailureOr<Launch> launch, const DimExpr &guard) {
  if (succeeded(launch))
    launch->guard = launch->guard * guard;
  return success(addLaunch(plan, std::move(launch)));
}

LogicalResult GemmEmitter::emitWinograd(ArrayRef<ScheduledWinograd> variants,
                                        bool onlyOne) {
  for (auto [i, variant] : llvm::enumerate(variants))
    if (failed(emitWinogradConvolution(
            plan, variant, context,
            onlyOne ? nameOf("") : nameOf("_winograd" + Twine(i)))))
      return failure();
  return success();
}

LogicalResult GemmEmitter::emitPreparations(const ScheduledGemm &gemm,
                                            const DimExpr &guard) {
  for (const Preparation &preparation : gemm.space.preparations)
    if (failed(add(
            emitPreparation(preparation, gemm.space, context.fusion,
                            context.dims, gemm.target, context.kernels,
                            nameOf("_prepare" + Twine(preparation.scratch))),
            guard)))
      return failure();
  return success();
}

LogicalResult GemmEmitter::emitVariant(const ScheduledGemm &gemm,
                                       const Twine &suffix) {
  KernelBuilder kernel(context.fusion, context.dims, gemm.target,
                       context.kernels, nameOf(suffix));
  return add(emitGemm(kernel, gemm.space, gemm.form, gemm.schedule),
             gemm.guard);
}

void GemmEmitter::emitMirror(const ScheduledGemm &gemm) {
  plan.launches.push_back(
      emitSyrkMirror(context.fusion, context.dims, gemm.target, context.kernels,
                     nameOf("_mirror"), gemm.space, gemm.schedule.mirrorRows));
}

FailureOr<KernelPlan> emitContraction(const EmissionContext &context,
                                      const ScheduledProduct &product) {
  GemmEmitter emitter{context, {}};
  emitter.plan.scratchBytes = product.scratchBytes;
  bool onlyOne = !product.plain && product.winograd.size() == 1;
  if (failed(emitter.emitWinograd(product.winograd, onlyOne)))
    return failure();
  if (product.plain) {
    if (failed(emitter.emitPreparations(*product.plain, product.gemmGuard)) ||
        (product.small &&
         failed(emitter.emitVariant(*product.small, "_small_m"))) ||
        failed(emitter.emitVariant(*product.plain, "")))
      return failure();
    if (product.plain->space.symmetric)
      emitter.emitMirror(*product.plain);
  }
  return std::move(emitter.plan);
}

} // namespace zenith::kernels
