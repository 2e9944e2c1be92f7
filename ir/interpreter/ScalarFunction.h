// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region on single elements, prepared for many calls: its values get
// registers once, and each op becomes one step on an array of scalars.

#ifndef ZENITH_IR_INTERPRETER_SCALARFUNCTION_H
#define ZENITH_IR_INTERPRETER_SCALARFUNCTION_H

#include "ir/interpreter/OpEvaluation.h"
#include "ir/tensor/Scalar.h"
#include "mlir/IR/Region.h"

namespace zenith::interpreter {

/// One op on registers.
struct ScalarStep {
  using Function = void (*)(const ScalarStep &, Scalar *registers);
  Function run = nullptr;
  unsigned result = 0;
  unsigned operands[3] = {0, 0, 0};
  /// Constants of the step beyond its operands.
  void (*callee)() = nullptr;
  unsigned width = 0;
  bool isUnsigned = false;
  int option = 0;
  std::optional<ElementAccess> from, to;
};

/// Sets `run` and its constants for an op on scalars (other than constants and
/// calls); false if there is no such step.
bool makeScalarStep(mlir::Operation *op, ScalarStep &step);

/// Write the arguments, run, read the results.
class ScalarFunction {
public:
  /// For a region of `e.op` with rank-0 arguments; captured values are read
  /// now.
  static llvm::Expected<ScalarFunction> compile(const OpEvaluation &e,
                                                mlir::Region &region);

  Scalar &argument(unsigned index) { return registers[index]; }
  const Scalar &result(unsigned index) const {
    return registers[resultRegisters[index]];
  }
  llvm::Error run() {
    if (walk)
      return runAsTensors();
    for (const ScalarStep &step : steps)
      step.run(step, registers.data());
    return llvm::Error::success();
  }

private:
  friend class ScalarCompiler;
  llvm::Error runAsTensors();

  std::vector<Scalar> registers; ///< the arguments are first
  std::vector<ScalarStep> steps;
  std::vector<unsigned> resultRegisters;
  // If an op has no step (nested control flow, for example), the region runs on
  // tensors.
  RegionRunner *walk = nullptr;
  mlir::Region *region = nullptr;
};

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_SCALARFUNCTION_H
