// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be left at the exit of each phase.

#include "lowering/pipeline/PhaseContracts.h"

#include "ir/GraphOps.h"
#include "lowering/host/HostDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;

namespace zenith::pipeline {

bool allowsGraph(Operation *op) {
  return isa<ModuleOp, func::FuncOp, func::ReturnOp>(op) || graph::familyOf(op);
}

bool allowsImported(Operation *op) {
  return allowsGraph(op) || isa<func::CallOp>(op);
}

bool allowsOutlined(Operation *op) {
  return isa<host::BranchOp, host::LoopOp, host::SharedOp>(op) ||
         (allowsGraph(op) &&
          !isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op));
}

bool allowsLaidOut(Operation *op) {
  return allowsOutlined(op) && !isa<graph::BatchNormOp>(op);
}

/// Scalars of rank 0 that sizes are computed with.
static bool isSizeArithmetic(Operation *op) {
  return op->getNumResults() == 1 &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.getRank() == 0 &&
                  tensor.getElementType().isIntOrIndex();
         });
}

bool allowsFused(Operation *op) {
  if (!allowsLaidOut(op))
    return false;
  if (op->getParentOfType<graph::FusionOp>())
    return isa<graph::AttentionOp>(op) ||
           graph::familyOf(op) != graph::Family::Composite;
  auto rule = dyn_cast<fusion::FusionRule>(op);
  bool staysOutside =
      rule && !rule.kernelKind() && !op->hasTrait<OpTrait::IsTerminator>();
  return staysOutside ||
         isa<ModuleOp, func::FuncOp, func::ReturnOp, graph::ConstantOp,
             graph::DimOp, host::BranchOp, host::LoopOp, host::SharedOp>(op) ||
         isSizeArithmetic(op);
}

bool allowsScheduled(Operation *op) {
  auto fusion = dyn_cast<graph::FusionOp>(op);
  if (isa<graph::PlaceOp>(op))
    return op->hasAttr(host::fileOffsetAttrName);
  if (isa<host::StoreRowOp, host::LoadRowOp>(op))
    return true;
  return allowsFused(op) && (!fusion || fusion.getScheduleAttr());
}

bool allowsPlanned(Operation *op) {
  return allowsScheduled(op) &&
         !(isa<func::FuncOp>(op) && !op->hasAttr(host::arenaAttrName));
}

static bool inKernels(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module.getName() == host::kernelsModuleName;
}

static bool allowsHost(Operation *op) {
  return isa<ModuleOp, graph::ParamOp, graph::DerivedParamOp>(op) ||
         isa<host::HostDialect>(op->getDialect());
}

bool allowsKernels(Operation *op) {
  if (!inKernels(op))
    return allowsHost(op);
  StringRef dialect = op->getDialect()->getNamespace();
  return llvm::is_contained(
      {"func", "arith", "math", "memref", "scf", "cf", "vector", "llvm"},
      dialect);
}

bool allowsLLVM(Operation *op) {
  return inKernels(op) ? isa<LLVM::LLVMDialect>(op->getDialect())
                       : allowsHost(op);
}

} // namespace zenith::pipeline
