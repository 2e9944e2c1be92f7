// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of dynamic dimensions in programs that JAX exported.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXPORTEDSIGNATURE_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXPORTEDSIGNATURE_H

#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
}

namespace zenith::stablehlo {

/// One text per dimension of an argument; empty if nothing is known.
using DimNames = llvm::SmallVector<std::string>;

/// Names for each argument's dimensions. They are in the text of shape
/// assertions, which hold at run time, and in `jax.global_constant` of
/// functions that get a dimension's size.
std::vector<DimNames> exportedDimNames(mlir::func::FuncOp function);

/// True for the argument that selects a platform: it is no input of the caller.
bool isPlatformIndex(mlir::func::FuncOp function, unsigned argument);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXPORTEDSIGNATURE_H
