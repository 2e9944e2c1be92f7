// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that show the values inside of a model in f32 and under its policy.

#ifndef ZENITH_TOOLS_RUN_PRECISIONPROBES_H
#define ZENITH_TOOLS_RUN_PRECISIONPROBES_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
struct RunOptions;

/// A value of an op in both programs, f32 or narrow.
struct ProbedOp {
  std::string name, op;               ///< of the source, and the mnemonic
  std::string rule, operands, result; ///< as remarks on precision have them
  Tensor inF32, lowered;
  /// The op alone narrow, on the operands that it has in f32.
  std::optional<Tensor> alone;
};

/// Runs `module`, the program as it is written, and the same under
/// options.compile's policy, on `inputs`; an element for each result of floats
/// of the entry's ops that a remark on precision is about, in program order.
llvm::Expected<std::vector<ProbedOp>>
probePrecision(mlir::ModuleOp module, const std::string &folder,
               const RunOptions &options, llvm::ArrayRef<Tensor> inputs,
               Diagnostics &diagnostics);

/// How two values differ as wholes.
struct NormDifference {
  double largest = 0;      ///< |v| of the f32 value
  double difference = 0;   ///< max |got - v| over what is finite in both
  bool finiteness = false; ///< an element is finite in one of both only
};
NormDifference normDifference(const Tensor &got, const Tensor &inF32);

/// Null where `ops` agree: max |d| <= atol + rtol * max |v| in each. Else an
/// error of code Differs that names the first that does not.
llvm::Error comparePerOp(llvm::ArrayRef<ProbedOp> ops,
                         const RunOptions &options);

/// Compares results with those of the f32 program in the same way.
llvm::Error compareWithF32(mlir::ModuleOp module, const std::string &folder,
                           const RunOptions &options,
                           llvm::ArrayRef<Tensor> inputs,
                           llvm::ArrayRef<Tensor> results,
                           Diagnostics &diagnostics);

/// The line of --report=precision for an op: name, op, rule, operands, result,
/// largest, f16_share, error, own_error.
llvm::json::Object reportOf(const ProbedOp &op);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_PRECISIONPROBES_H
