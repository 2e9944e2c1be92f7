// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All op classes of the frontend's dialects. Importers work by op name and
// don't include this header.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_H

#include "frontends/stablehlo/dialect/OpVerifiers.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "frontends/stablehlo/dialect/StableHLOOps.h.inc"

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_H
