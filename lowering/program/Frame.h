// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a program while its code is emitted: where its arguments,
// results, arena, slots and cells are.

#ifndef ZENITH_LOWERING_PROGRAM_FRAME_H
#define ZENITH_LOWERING_PROGRAM_FRAME_H

#include "lowering/host/HostDialect.h"
#include "llvm/IR/IRBuilder.h"

namespace zenith::pipeline {

/// Where bytes are: a pointer; on a device a buffer handle and an offset.
struct Bytes {
  llvm::Value *base = nullptr, *offset = nullptr;
};

using Extents = llvm::SmallVector<llvm::Value *>;

/// What a control step passes and gets back: a scalar, or bytes and their
/// extents.
struct PassedValue {
  llvm::Value *scalar = nullptr;
  Bytes bytes;
  Extents extents;
};

struct Frame {
  host::ProgramOp program;
  bool isNested = false;
  std::vector<Bytes> arguments, results, slots;
  std::vector<llvm::Value *> resultData; ///< on the host, of entries
  Bytes arena;
  std::vector<llvm::Value *> cells; ///< in host memory
  std::vector<Bytes> deviceCells, constants;
  /// What launches of this program pass: pointers and sizes.
  llvm::AllocaInst *pointers = nullptr, *sizeArray = nullptr;
  std::vector<PassedValue> yielded; ///< one per result
  /// Transfers to and from the file that the program has started: of each how
  /// many the run has started until then.
  std::vector<llvm::Value *> transfers;
};

inline host::ValueAttr valueAt(mlir::ArrayAttr values, unsigned index) {
  return mlir::cast<host::ValueAttr>(values[index]);
}

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_FRAME_H
