// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that were chosen for products one by one, as --precision-file has them.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONCHOICES_H
#define ZENITH_PASSES_PRECISION_PRECISIONCHOICES_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/precision/PrecisionPolicy.h"
#include <map>
#include <optional>
#include <string>

namespace zenith::precision {

/// What was chosen for a product, and the largest errors that were measured:
/// the largest difference of a result over its largest value.
struct PrecisionChoice {
  FloatWord type = FloatWord::F32;
  std::optional<double> ownError;    ///< of this op alone narrow
  std::optional<double> outputError; ///< of all that are narrow
};

/// By productNames().
using PrecisionChoices = std::map<std::string, PrecisionChoice>;

/// Reads an object of JSON: name -> type, or name -> {"type", "own_error",
/// "output_error"}. An error of code Invalid says what is wrong.
Result<PrecisionChoices> parseChoices(llvm::StringRef text);
/// A usage error for the first name that no product of the module has, with
/// the nearest one.
std::optional<Error> checkChoices(mlir::ModuleOp module, const Policy &policy,
                                  const PrecisionChoices &choices);
/// Name -> type, or with errors where there are any and `withErrors`.
std::string choicesText(const PrecisionChoices &choices, bool withErrors);

/// The products of a module in program order, those on the list allow of
/// `policy`, by their source names; NAME#2 and so on where several share one.
std::vector<std::pair<std::string, mlir::Operation *>>
namedProducts(mlir::ModuleOp module, const Policy &policy);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_PRECISIONCHOICES_H
