// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls in the types that StableHLO allows, shared by several import rules.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H

#include "frontends/stablehlo/import/ProgramReading.h"

namespace zenith::stablehlo {

/// A dot_general of type `type`: operands are converted to the accumulator type
/// if it differs.
Value makeDot(OpReading &x, graph::DotDimsAttr dims, Value lhs, Value rhs,
              RankedTensorType type);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
