// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial values that leave a reduction as it is.

#ifndef ZENITH_PASSES_RAISE_NEUTRALELEMENT_H
#define ZENITH_PASSES_RAISE_NEUTRALELEMENT_H

#include "ir/GraphOps.h"

namespace zenith::raise {

/// True for a constant that changes no result of the reduction.
bool isNeutral(graph::ReduceKind kind, mlir::Value init);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_NEUTRALELEMENT_H
