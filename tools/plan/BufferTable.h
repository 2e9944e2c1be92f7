// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers with lifetimes as MiniMalloc's tables of comma-separated values.

#ifndef ZENITH_TOOLS_PLAN_BUFFERTABLE_H
#define ZENITH_TOOLS_PLAN_BUFFERTABLE_H

#include "ir/Error.h"
#include "lowering/memory/arena/PackedBuffer.h"
#include <string>
#include <string_view>

namespace zenith::tools {

/// A row's cells are kept as they were given.
struct BufferTable {
  std::string header;            ///< the first line
  std::vector<std::string> rows; ///< the others, without empty ones
  std::vector<memory::PackedBuffer> buffers;
};

/// Reads `id,lower,upper,size[,alignment]`, in any order of columns; others are
/// kept. Lifetimes are from lower to before upper. Code Invalid at `LINE` for a
/// missing column or cell, what is no whole number, lower >= upper, negative
/// or absurd sizes, an alignment below 1, an id that was there before.
Result<BufferTable> readBuffers(std::string_view text);

/// The table with a column `offset`.
std::string writeOffsets(const BufferTable &table);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_PLAN_BUFFERTABLE_H
