// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of encodings.

#include "ir/attributes/EncodingAttrs.h"

using namespace mlir;

namespace zenith::graph {

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t group) {
  if (width > 0 && (group == 1 || group == 2 || group == 4))
    return success();
  return emitError() << "panels: got " << width << ", group = " << group
                     << ", expected a positive width and groups of 1, 2 or 4 "
                        "(panels_c1)";
}

LogicalResult WinogradAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t tile) {
  if (tile == 2 || tile == 4)
    return success();
  return emitError() << "winograd: got " << tile
                     << ", expected tiles of 2 or 4 (winograd_c1)";
}

} // namespace zenith::graph
