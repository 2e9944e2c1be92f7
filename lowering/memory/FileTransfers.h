// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers of values that wait in a file, in a scheduled function.

#ifndef ZENITH_LOWERING_MEMORY_FILETRANSFERS_H
#define ZENITH_LOWERING_MEMORY_FILETRANSFERS_H

#include "lowering/memory/FunctionGraph.h"

namespace zenith::memory {

/// Of a function whose transfers are written out.
struct FileUse {
  unsigned values = 0;
  int64_t bytes = 0;     ///< that are written
  int64_t fileBytes = 0; ///< of the file
};

/// What a file of so many bytes a second costs, in the microseconds of
/// schedules.
remat::FileModel fileModelOf(int64_t bytesPerSecond);

/// Writes out what barriers with remat::offloadAttrName ask for. A value is
/// written behind the step that makes it (graph.place host, whose result is in
/// the file), read ahead of the first reader behind its barrier (graph.place
/// device), and both are waited for (graph.barrier with host.awaits). Barriers
/// of values that stay are left out; `explain` says why, and what goes. Changes
/// no bits: without a file the function computes the same.
FileUse writeTransfers(mlir::func::FuncOp function,
                       const target::TargetModel &target,
                       const mlir::SymbolTable &symbols,
                       const remat::FileModel &model, bool explain);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_FILETRANSFERS_H
