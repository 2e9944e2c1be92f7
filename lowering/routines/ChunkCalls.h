// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that a routine calls for a chunk of its operands
// (runtime/routines/ChunkProducer.h).

#ifndef ZENITH_LOWERING_ROUTINES_CHUNKCALLS_H
#define ZENITH_LOWERING_ROUTINES_CHUNKCALLS_H

#include "lowering/routines/RoutineCall.h"

namespace zenith::kernels {

/// Rows of a chunk, which stays in the first-level cache.
inline constexpr int64_t chunkRows = 256;

/// The kernel whose elements begin .. end-1 of `values`, ui64 lists of one
/// size, go to a chunk, list after list. Where `source` is given, its elements
/// come from a chunk too, both from element 0 on.
mlir::FailureOr<Launch> emitChunk(const EmissionContext &context,
                                  mlir::ValueRange values,
                                  mlir::Value source = {});

/// The chunk's kernel as an argument of a routine; null after a diagnostic.
mlir::Value chunkProducer(RoutineKernel &call, const Launch &chunk);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ROUTINES_CHUNKCALLS_H
