// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for given sizes of its named dimensions.

#ifndef ZENITH_FRONTENDS_MODELS_SPECIALIZEDIMS_H
#define ZENITH_FRONTENDS_MODELS_SPECIALIZEDIMS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace zenith::models {

class Diagnostics;

/// Makes the sizes part of the types of each function that names the
/// dimensions, "arg0_d1" of those without a name, and of all values whose size
/// follows. What the sizes have to keep to is checked as before, here where
/// they decide it and by the run else. Usage for a name that no function has,
/// Invalid for a size that its bounds exclude or that contradicts another.
/// Messages go to `diagnostics`, of `file` where they know no place.
llvm::Error specializeDims(mlir::ModuleOp module,
                           const std::map<std::string, int64_t> &sizes,
                           Diagnostics &diagnostics, const std::string &file);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_SPECIALIZEDIMS_H
