// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the buffers of a planned module can hold its values: a dump of the
// plan phase may have been edited.

#ifndef ZENITH_LOWERING_MEMORY_CHECKBUFFERS_H
#define ZENITH_LOWERING_MEMORY_CHECKBUFFERS_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace zenith::memory {

/// The first contradiction in the buffers of a module after the plan phase, at
/// its op: a value is read where another one has been written since, a buffer
/// is too small, not aligned, outside of its arena or not to be written, a
/// kernel would overwrite what it reads, scratch is missing. Code Invalid.
///
/// Runs the steps of each function on places instead of values. Whether two
/// places overlap is decided for a few sizes of the dimensions, so that a
/// contradiction at others stays unseen; a plan of planBuffers() has none.
std::optional<Error> checkBuffers(mlir::ModuleOp module);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_CHECKBUFFERS_H
