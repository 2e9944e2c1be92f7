// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, strides and owners of arrays.

#include "frontends/c/Array.h"

#include "frontends/c/StructReading.h"
#include "ir/tensor/Tensor.h"
#include "lowering/elements/ElementCodes.h"
#include "runtime/ABI.h"

using namespace zenith;
using namespace zenith::c;

/// A larger rank is a mistake of the caller.
static constexpr int32_t mostDims = 1024;

zenith_array::zenith_array(zenith_context &context, zenith_dtype dtype,
                           int32_t rank)
    : context(&context), dtype(dtype), rank(rank),
      dims(reinterpret_cast<int64_t *>(this + 1)) {}

zenith_array *zenith::c::makeArray(zenith_context &context, zenith_dtype dtype,
                                   int32_t rank, const int64_t *dims) noexcept {
  void *place =
      context.memory.allocate(zenith_array::objectBytes(rank),
                              alignof(zenith_array), ZENITH_MEMORY_OBJECT);
  if (!place)
    return nullptr;
  auto *array = new (place) zenith_array(context, dtype, rank);
  std::copy(dims, dims + rank, array->dims);
  return array;
}

void release(zenith_array *array) noexcept {
  if (!array || !drop(*array))
    return;
  if (array->onRelease)
    array->onRelease(array->releaseUser, array->releaseData);
  Ref<zenith_context> context = std::move(array->context);
  size_t bytes = zenith_array::objectBytes(array->rank);
  array->~zenith_array();
  context->memory.free(array, bytes, ZENITH_MEMORY_OBJECT);
}

int64_t zenith::c::bytesOf(zenith_dtype dtype, int32_t rank,
                           const int64_t *dims) {
  int64_t bytes = zenith_dtype_bytes(dtype);
  for (int32_t axis = 0; axis < rank; ++axis)
    if (dims[axis] == 0)
      return 0;
  for (int32_t axis = 0; axis < rank; ++axis)
    if (__builtin_mul_overflow(bytes, dims[axis], &bytes))
      return -1;
  return bytes;
}

static int64_t spanOf(zenith_dtype dtype, int32_t rank, const int64_t *dims,
                      const int64_t *strides) {
  if (!strides)
    return bytesOf(dtype, rank, dims);
  int64_t last = 0, bytes;
  for (int32_t axis = 0; axis < rank; ++axis) {
    int64_t step;
    if (dims[axis] == 0)
      return 0;
    if (__builtin_mul_overflow(dims[axis] - 1, strides[axis], &step) ||
        __builtin_add_overflow(last, step, &last))
      return -1;
  }
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, zenith_dtype_bytes(dtype), &bytes))
    return -1;
  return bytes;
}

int64_t zenith::c::spanOf(const zenith_view &view) {
  return ::spanOf(view.dtype, view.rank, view.dims, view.strides);
}

int64_t zenith::c::spanOf(const zenith_array &array) {
  return ::spanOf(array.dtype, array.rank, array.dims, array.strides);
}

bool zenith::c::isRowMajor(int32_t rank, const int64_t *dims,
                           const int64_t *strides) {
  if (!strides)
    return true;
  int64_t expected = 1;
  for (int32_t axis = rank; axis-- > 0;) {
    if (dims[axis] == 0)
      return true;
    if (dims[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= dims[axis];
  }
  return true;
}

void zenith::c::packElements(const zenith_view &view, char *to) {
  int64_t bytes = zenith_dtype_bytes(view.dtype);
  int64_t total = bytesOf(view.dtype, view.rank, view.dims);
  if (isRowMajor(view.rank, view.dims, view.strides)) {
    if (total > 0)
      std::memcpy(to, view.data, size_t(total));
    return;
  }
  int64_t inner = view.dims[view.rank - 1];
  int64_t step = view.strides[view.rank - 1] * bytes;
  for (int64_t row = 0; row < total / bytes / inner; ++row) {
    int64_t rest = row, offset = 0;
    for (int32_t axis = view.rank - 1; axis-- > 0;) {
      offset += rest % view.dims[axis] * view.strides[axis];
      rest /= view.dims[axis];
    }
    const char *from = static_cast<const char *>(view.data) + offset * bytes;
    for (int64_t i = 0; i < inner; ++i, to += bytes)
      std::memcpy(to, from + i * step, size_t(bytes));
  }
}

zenith_view zenith::c::viewOf(const zenith_array &array) {
  zenith_view view = {};
  view.struct_size = sizeof(view);
  view.dtype = array.dtype;
  view.rank = array.rank;
  view.dims = array.dims;
  view.strides = array.strides;
  view.data = array.data;
  view.capacity = array.capacity;
  return view;
}

std::string zenith::c::typeText(zenith_dtype dtype, int32_t rank,
                                const int64_t *dims) {
  std::string text = std::string(zenith_dtype_name(dtype)) + "[";
  for (int32_t axis = 0; axis < rank; ++axis)
    text += (axis ? "x" : "") +
            (dims[axis] < 0 ? std::string("?") : std::to_string(dims[axis]));
  return text + "]";
}

zenith_status *zenith::c::checkShape(zenith_dtype dtype, int32_t rank,
                                     const int64_t *dims) {
  if (!zenith_dtype_bytes(dtype))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                   "no element type has the number " + std::to_string(dtype));
  if (rank < 0 || rank > mostDims)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_RANK,
                   "rank: got " + std::to_string(rank) + ", expected 0 to " +
                       std::to_string(mostDims));
  if (rank > 0 && !dims)
    return nullPointer("dims");
  for (int32_t axis = 0; axis < rank; ++axis)
    if (dims[axis] < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "dimension " + std::to_string(axis) + ": got " +
                         std::to_string(dims[axis]) +
                         ", expected a size of at least 0");
  return nullptr;
}

static zenith_status *tooLarge(zenith_dtype dtype, int32_t rank,
                               const int64_t *dims, bool overBudget) {
  return failure(ZENITH_OUT_OF_MEMORY,
                 overBudget ? ZENITH_REASON_BUDGET : ZENITH_REASON_ALLOCATION,
                 "an array of " + typeText(dtype, rank, dims) +
                     (overBudget ? " exceeds the budget of the context"
                                 : " does not fit in memory"));
}

/// An array with elements of its own.
static zenith_status *createOwned(zenith_context &context, zenith_dtype dtype,
                                  int32_t rank, const int64_t *dims,
                                  Ref<zenith_array> &made) {
  int64_t bytes = bytesOf(dtype, rank, dims);
  bool overBudget = false;
  if (bytes < 0)
    return tooLarge(dtype, rank, dims, false);
  made = Ref<zenith_array>::taking(makeArray(context, dtype, rank, dims));
  if (!made)
    return noMemory();
  made->block = Block(context.memory, size_t(bytes), 64, ZENITH_MEMORY_ARRAY,
                      &overBudget);
  if (!made->block)
    return tooLarge(dtype, rank, dims, overBudget);
  made->data = made->block.data();
  made->capacity = bytes;
  return nullptr;
}

zenith_status *zenith_array_create(zenith_context *context, zenith_dtype dtype,
                                   int32_t rank, const int64_t *dims,
                                   zenith_array **array) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!context || !array)
      return nullPointer(context ? "array" : "context");
    *array = nullptr;
    if (zenith_status *status = checkShape(dtype, rank, dims))
      return status;
    Ref<zenith_array> made;
    if (zenith_status *status = createOwned(*context, dtype, rank, dims, made))
      return status;
    *array = made.take();
    return nullptr;
  });
}

zenith_status *zenith::c::checkView(const zenith_view &view) {
  if (zenith_status *status = checkShape(view.dtype, view.rank, view.dims))
    return status;
  for (int32_t axis = 0; view.strides && axis < view.rank; ++axis)
    if (view.strides[axis] < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_STRIDES,
                     "stride " + std::to_string(axis) + ": got " +
                         std::to_string(view.strides[axis]) +
                         ", expected at least 0");
  int64_t span = spanOf(view);
  if (span < 0)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                   typeText(view.dtype, view.rank, view.dims) +
                       " has no number of bytes");
  if (view.capacity < 0 || (view.capacity && view.capacity < span))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                   "capacity: got " + std::to_string(view.capacity) +
                       " bytes, the elements need " + std::to_string(span));
  if (span > 0 && !view.data)
    return nullPointer("data");
  return nullptr;
}

static zenith_status *checkHold(zenith_hold hold, zenith_release_fn release) {
  if (hold < ZENITH_HOLD_COPY || hold > ZENITH_HOLD_TAKE)
    return usage(ZENITH_REASON_NONE,
                 "hold: got " + std::to_string(hold) + ", expected 0 to 3");
  if (release && hold != ZENITH_HOLD_TAKE)
    return usage(ZENITH_REASON_NONE,
                 "release is for arrays that take their memory");
  return nullptr;
}

zenith_status *zenith_array_wrap(zenith_context *context,
                                 const zenith_view *given, zenith_hold hold,
                                 zenith_release_fn onRelease, void *user,
                                 zenith_array **array) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!context || !given || !array)
      return nullPointer(!context ? "context" : given ? "array" : "view");
    *array = nullptr;
    zenith_view view;
    if (zenith_status *status = readStruct(given, view))
      return status;
    if (zenith_status *status = checkHold(hold, onRelease))
      return status;
    if (zenith_status *status = checkView(view))
      return status;
    Ref<zenith_array> made;
    if (hold == ZENITH_HOLD_COPY) {
      if (zenith_status *status =
              createOwned(*context, view.dtype, view.rank, view.dims, made))
        return status;
      packElements(view, static_cast<char *>(made->data));
      *array = made.take();
      return nullptr;
    }
    made = Ref<zenith_array>::taking(
        makeArray(*context, view.dtype, view.rank, view.dims));
    if (!made)
      return noMemory();
    if (!isRowMajor(view.rank, view.dims, view.strides)) {
      made->strides = made->dims + view.rank;
      std::copy(view.strides, view.strides + view.rank, made->strides);
    }
    made->data = view.data;
    made->capacity = view.capacity ? view.capacity : spanOf(view);
    made->isWritable = hold != ZENITH_HOLD_BORROW;
    made->onRelease = onRelease;
    made->releaseUser = user;
    made->releaseData = view.data;
    *array = made.take();
    return nullptr;
  });
}

void zenith_array_view(const zenith_array *array, zenith_view *view) noexcept {
  if (array && view)
    writeStruct(view, viewOf(*array));
}

void *zenith_array_data(zenith_array *array) noexcept {
  return array && array->isWritable && zenith_array_bytes(array) > 0
             ? array->data
             : nullptr;
}

int64_t zenith_array_bytes(const zenith_array *array) noexcept {
  return array ? bytesOf(array->dtype, array->rank, array->dims) : 0;
}

zenith_array *zenith_array_retain(zenith_array *array) noexcept {
  return Ref<zenith_array>(array).take();
}

void zenith_array_free(zenith_array *array) noexcept { release(array); }

zenith_status *zenith::c::arrayOf(zenith_context &context, const Tensor &tensor,
                                  Ref<zenith_array> &array) {
  zenith_view view = {};
  view.struct_size = sizeof(view);
  view.dtype = kernels::elementCode(tensor.elementType());
  view.rank = int32_t(tensor.shape().size());
  view.dims = tensor.shape().data();
  view.data = const_cast<char *>(tensor.bytes());
  zenith_array *made = nullptr;
  zenith_status *status = zenith_array_wrap(&context, &view, ZENITH_HOLD_COPY,
                                            nullptr, nullptr, &made);
  array = Ref<zenith_array>::taking(made);
  return status;
}

Tensor zenith::c::tensorOf(const zenith_array &array,
                           mlir::MLIRContext *types) {
  Tensor tensor(mlir::RankedTensorType::get(
      llvm::ArrayRef(array.dims, size_t(array.rank)),
      kernels::elementType(types, array.dtype)));
  packElements(viewOf(array), tensor.writable());
  return tensor;
}
