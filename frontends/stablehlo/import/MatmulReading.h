// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in the types that StableHLO allows, shared by the rules of products.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H

#include "frontends/stablehlo/import/ProgramReading.h"

namespace zenith::stablehlo {

/// A dot_general of type `type`: operands of other types are converted to the
/// one in which the product is taken.
Value makeProduct(OpReading &x, graph::DotDimsAttr dims, Value lhs, Value rhs,
                  RankedTensorType type);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
