// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar ops of a region that an op carries (a comparator, a reduction),
// emitted for scalars or for lanes alike.

#ifndef ZENITH_LOWERING_ELEMENTS_REGIONELEMENTS_H
#define ZENITH_LOWERING_ELEMENTS_REGIONELEMENTS_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// What the region yields for `arguments` (scalars or lanes in registers);
/// empty after an unsupported op, which has been reported.
llvm::SmallVector<mlir::Value>
emitRegion(ElementEmitter &emitter, mlir::Region &region,
           llvm::ArrayRef<mlir::Value> arguments);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_REGIONELEMENTS_H
