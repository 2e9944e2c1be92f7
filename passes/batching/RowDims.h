// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of dimensions, and entries per dimension, where dimension 0 is the row.

#ifndef ZENITH_PASSES_BATCHING_ROWDIMS_H
#define ZENITH_PASSES_BATCHING_ROWDIMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace zenith::batching {

/// Dimensions as dimensions of the value with rows.
inline llvm::SmallVector<int64_t> shifted(llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> result;
  for (int64_t dim : dims)
    result.push_back(dim + 1);
  return result;
}

/// The list with an entry for the row in front.
inline llvm::SmallVector<int64_t> prefixed(int64_t first,
                                           llvm::ArrayRef<int64_t> list) {
  llvm::SmallVector<int64_t> result{first};
  llvm::append_range(result, list);
  return result;
}

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_ROWDIMS_H
