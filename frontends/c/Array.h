// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value: elements in memory of the context or of the host, and who releases
// them.

#ifndef ZENITH_FRONTENDS_C_ARRAY_H
#define ZENITH_FRONTENDS_C_ARRAY_H

#include "frontends/c/Context.h"

void release(zenith_array *array) noexcept;

struct zenith_array : zenith::c::Counted {
  zenith_array(zenith_context &context, zenith_dtype dtype, int32_t rank);

  zenith::c::Ref<zenith_context> context;
  zenith_dtype dtype;
  int32_t rank;
  /// Behind this object, with room for strides; the element of a scalar, where
  /// that is the array's own.
  int64_t *dims;
  int64_t *strides = nullptr; ///< null: row-major
  void *data = nullptr;
  int64_t capacity = 0;
  bool isWritable = true;

  // Who owns the elements: the context, a function of the host, or another
  // array.
  zenith::c::Block block;
  zenith_release_fn onRelease = nullptr;
  void *releaseUser = nullptr, *releaseData = nullptr;
  zenith::c::Ref<zenith_array> base;

  static constexpr size_t scalarBytes = 2 * sizeof(int64_t);
  static size_t objectBytes(int32_t rank) {
    return sizeof(zenith_array) +
           (rank == 0 ? scalarBytes : 2 * size_t(rank) * sizeof(int64_t));
  }
};

namespace zenith {
class Tensor;
}

namespace zenith::c {

using ArrayList = std::vector<Ref<zenith_array>>;

/// An array of a tensor's elements, which are copied.
zenith_status *arrayOf(zenith_context &context, const Tensor &tensor,
                       Ref<zenith_array> &array);
/// A tensor of an array's elements, which are copied; its type is made in
/// `types`.
Tensor tensorOf(const zenith_array &array, mlir::MLIRContext *types);

/// A new array without elements; null where there is no memory.
zenith_array *makeArray(zenith_context &context, zenith_dtype dtype,
                        int32_t rank, const int64_t *dims) noexcept;

/// Bytes of the elements without gaps; -1 where there is no such number.
int64_t bytesOf(zenith_dtype dtype, int32_t rank, const int64_t *dims);
/// Bytes from the first element to the end of the last one; -1 likewise.
int64_t spanOf(const zenith_view &view);
int64_t spanOf(const zenith_array &array);
/// True where strides, if any, are those of row-major elements without gaps.
bool isRowMajor(int32_t rank, const int64_t *dims, const int64_t *strides);
/// Copies elements to row-major ones.
void packElements(const zenith_view &view, char *to);
zenith_view viewOf(const zenith_array &array);
/// "f32[2x3]".
std::string typeText(zenith_dtype dtype, int32_t rank, const int64_t *dims);

/// Null where type and dims can be those of an array.
zenith_status *checkShape(zenith_dtype dtype, int32_t rank,
                          const int64_t *dims);

/// Null where a view can be that of an array.
zenith_status *checkView(const zenith_view &view);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_ARRAY_H
