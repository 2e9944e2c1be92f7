// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that a tool runs: names, types and dimensions of its arguments
// and results.

#ifndef ZENITH_FRONTENDS_MODELS_ENTRYSIGNATURE_H
#define ZENITH_FRONTENDS_MODELS_ENTRYSIGNATURE_H

#include "frontends/models/IntegerUses.h"
#include "ir/dims/DimExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
}

namespace zenith::models {

struct ArgumentInfo {
  std::string name; ///< public name, that of its location, or "argK"
  mlir::RankedTensorType type;
  std::vector<graph::DimExpr> dims;
  bool isRead = true;
  IntegerUses uses = {}; ///< of integers
};

struct ResultInfo {
  std::string name; ///< public name; empty where there is none
  mlir::RankedTensorType type;
  std::string storedType; ///< of ONNX, where GraphIR lacks it; else empty
};

/// The function or host program called `entry`; where that is empty the only
/// public one, else `main`.
llvm::Expected<mlir::Operation *> findEntry(mlir::ModuleOp module,
                                            llvm::StringRef entry);
/// The same for readers that need ops of graphs: refuses host programs.
llvm::Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                llvm::StringRef entry);

/// Of a function of tensors or a host program.
std::vector<ArgumentInfo> argumentsOf(mlir::Operation *entry);
std::vector<ResultInfo> resultsOf(mlir::Operation *entry);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_ENTRYSIGNATURE_H
