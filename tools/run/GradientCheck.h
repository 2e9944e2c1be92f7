// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of a function against central differences in f64.

#ifndef ZENITH_TOOLS_RUN_GRADIENTCHECK_H
#define ZENITH_TOOLS_RUN_GRADIENTCHECK_H

#include "ir/interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace zenith::tools {

/// The elements that were compared, and the one that differs most for its
/// tolerance.
struct GradientSummary {
  int64_t compared = 0;
  /// |derived - difference| / (1e-6 + 1e-4 |difference|) of the worst one.
  double worst = 0;
  std::string where; ///< "vjp: gradient of argument 1 at 5"
  double derived = 0, difference = 0;

  void add(const std::string &place, double derived, double difference);
  /// One line.
  std::string text() const;
};

/// Makes f64 of all floats of the module, and complex<f64> of all complex
/// numbers. Unsupported, by name, where an op reads or makes bits of floats.
llvm::Error widenToF64(mlir::ModuleOp module);

/// The same elements as f64, or complex<f64>; integers as they are.
Tensor widenToF64(const Tensor &tensor);

/// Compares gradients and tangents of `entry` by all its arguments of floats
/// with (f(x + h) - f(x - h)) / 2h, element by element (64 of larger
/// arguments), in the interpreter, for elements of arguments and results that
/// are finite; with order 2 those of its vjp and jvp too. Precondition: floats
/// are f64. Fails with code Differs, naming the worst element, where one
/// differs by more than 1e-6 + 1e-4 |difference|.
llvm::Error checkGradients(mlir::ModuleOp module, const std::string &entry,
                           std::vector<Tensor> arguments, unsigned order,
                           const interpreter::Options &options,
                           GradientSummary &summary);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_GRADIENTCHECK_H
