// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a StableHLO module to GraphIR.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORTSTABLEHLO_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORTSTABLEHLO_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace zenith::stablehlo {

/// A check that a program states about a pair of its values.
struct Expectation {
  enum Kind { Equal, AlmostEqual, Close };
  Kind kind = Equal;
  double tolerance = 1e-3; ///< AlmostEqual: largest absolute difference
  int64_t maxUlp = 3;      ///< Close
  std::string location;
};

struct ImportedFunction {
  std::string name;
  /// Results of the function itself; two more per expectation follow them: the
  /// value and the expected value.
  unsigned results = 0;
  std::vector<Expectation> expectations;
};

struct ImportedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<ImportedFunction> functions;
};

struct ImportOptions {
  /// Conversions of bf16 results to f32 read them before they are rounded, as
  /// in JAX's compiler (xla_allow_excess_precision). False: every op rounds.
  bool excessPrecision = true;
  /// Each result of an op of the source is an op of its own, also where it is
  /// an operand: for reports that name values. So it is in any program with a
  /// mesh.
  bool keepsValues = false;
};

/// Each public function becomes a function of GraphIR; private ones are
/// inlined. The source has been verified; it may be changed. Errors are
/// LLVMErrors with the location of the op.
llvm::Expected<ImportedProgram>
importStableHLO(mlir::ModuleOp source, const ImportOptions &options = {});

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORTSTABLEHLO_H
