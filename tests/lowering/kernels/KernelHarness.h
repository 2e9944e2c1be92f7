// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of one fusion on tensors and beside the interpreter: ranges
// of tasks, last ones first, into poisoned buffers between guards.

#ifndef ZENITH_TESTS_LOWERING_KERNELS_KERNELHARNESS_H
#define ZENITH_TESTS_LOWERING_KERNELS_KERNELHARNESS_H

#include "ir/tensor/Tensor.h"
#include "lowering/builder/KernelPlan.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <string>
#include <vector>

namespace zenith::testing {

using Emitter = std::function<mlir::FailureOr<kernels::KernelPlan>(
    graph::FusionOp, graph::DimAnalysis &, const target::TargetModel &,
    mlir::ModuleOp, llvm::StringRef)>;

class KernelHarness {
public:
  explicit KernelHarness(Emitter emitter);

  /// The machine that kernels are shaped for; they run on the host in any case.
  target::TargetModel target;
  /// Largest difference, relative to the larger of 1 and the expected value.
  double tolerance = 0;

  /// Whether elements of results have an order; else results are lists, whose
  /// rows are compared sorted.
  bool ordered = true;

  /// Contents of arguments; small integers where unset.
  std::function<Tensor(mlir::RankedTensorType type, unsigned number)> fill;
  /// Operand whose bytes result 0 takes over; -1 = none.
  int sharedOperand = -1;

  /// Text with one function, whose body is one fusion of its arguments. Shapes
  /// are those of the arguments, in order: dynamic dimensions from `shapes`.
  /// Fills arguments with small integers and expects what the interpreter
  /// gives.
  void check(const std::string &text,
             std::vector<std::vector<int64_t>> shapes = {});
  /// The diagnostic for a fusion that has no kernel; empty where it has one.
  std::string refusal(const std::string &text);
  /// Kernel functions that the last check emitted, as text.
  std::string emitted;
  /// Kernels and micro-kernels of the last check.
  std::vector<std::string> functions;
  /// Kernels that the last check ran: of variants, those that its sizes choose.
  std::vector<std::string> ran;
  /// Whether one of them has a name that ends so.
  bool hasRun(llvm::StringRef ending) const {
    return llvm::any_of(
        ran, [&](llvm::StringRef name) { return name.ends_with(ending); });
  }

  mlir::MLIRContext &context() { return mlirContext; }

private:
  struct Case;
  mlir::LogicalResult schedule(graph::FusionOp fusion,
                               graph::DimAnalysis &dims) const;
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  Tensor argument(mlir::RankedTensorType type, unsigned number);
  void run(Case &test);
  mlir::MLIRContext mlirContext;
  Emitter emitter;
};

/// Small integers as elements of `type`, different for different seeds.
Tensor smallIntegers(mlir::RankedTensorType type, unsigned seed);

} // namespace zenith::testing

#endif // ZENITH_TESTS_LOWERING_KERNELS_KERNELHARNESS_H
