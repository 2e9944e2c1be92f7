// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of counted loops that lie in the file of the run: a loop writes rows,
// later loops read them.

#ifndef ZENITH_LOWERING_MEMORY_OFFLOADSTACKS_H
#define ZENITH_LOWERING_MEMORY_OFFLOADSTACKS_H

#include "ir/target/TargetModel.h"
#include "lowering/memory/FileTransfers.h"

namespace zenith::memory {

/// How many stacks of a scheduled module offloadStacks() could let lie in the
/// file.
unsigned stacksToOffload(mlir::ModuleOp module);

/// Takes the `count` largest of these stacks out of memory. The loop that made
/// a stack writes each row when it is there (host.store_row), and waits for it
/// at the end of the trip; a later loop carries the row that it reads, and
/// starts at the beginning of each trip to read that of the next one
/// (host.load_row). Entries get `host.file_bytes`. Results keep their bits.
/// Fails where an op that it makes has no kernel.
mlir::LogicalResult offloadStacks(mlir::ModuleOp module,
                                  const target::TargetModel &target,
                                  unsigned count);

/// The stacks in the file of what `entry` runs; with `explain` a remark for
/// each.
FileUse stacksInFile(mlir::func::FuncOp entry, const mlir::SymbolTable &symbols,
                     bool explain);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_OFFLOADSTACKS_H
