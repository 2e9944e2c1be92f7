// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code calls for its arguments and results.

#include "runtime/ABI.h"

#include "runtime/ProfileClock.h"

#include <algorithm>
#include <cstring>
#include <string>

using zenith::runtime::ProfileClock;

static int32_t failInput(zenith_run_context *context, const std::string &text,
                         int32_t reason = ZENITH_REASON_NONE) {
  return zenith_fail_because(context, ZENITH_INVALID_INPUT, reason,
                             text.c_str(), nullptr);
}

static std::string argName(int64_t index, const char *name) {
  std::string text = "argument " + std::to_string(index);
  return name && *name ? text + " (" + name + ")" : text;
}

static std::string shapeText(int64_t rank, const int64_t *dims) {
  std::string text = "[";
  for (int64_t axis = 0; axis < rank; ++axis)
    text += (axis ? "x" : "") +
            (dims[axis] < 0 ? std::string("?") : std::to_string(dims[axis]));
  return text + "]";
}

int32_t zenith_check_counts(zenith_run_context *context, int64_t nargs,
                            int64_t expected_args, int64_t nresults,
                            int64_t expected_results) {
  if (nargs != expected_args)
    return failInput(context, "got " + std::to_string(nargs) +
                                  " arguments, expected " +
                                  std::to_string(expected_args));
  if (nresults != expected_results)
    return failInput(context, "got room for " + std::to_string(nresults) +
                                  " results, expected " +
                                  std::to_string(expected_results));
  return ZENITH_OK;
}

/// Number of elements; -1 where an extent is negative or the product overflows.
static int64_t elementCount(int64_t rank, const int64_t *dims) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (dims[axis] < 0)
      return -1;
    if (dims[axis] == 0)
      return 0;
    overflow |= __builtin_mul_overflow(count, dims[axis], &count);
  }
  return overflow ? -1 : count;
}

static bool isRowMajor(const zenith_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  for (int64_t axis = tensor.rank; axis-- > 0;) {
    if (tensor.dims[axis] == 0)
      return true;
    if (tensor.dims[axis] != 1 && tensor.strides[axis] != expected)
      return false;
    expected *= tensor.dims[axis];
  }
  return true;
}

/// Checks that the elements of a row-major argument lie within its capacity.
static int32_t checkBytes(zenith_run_context *context, int64_t index,
                          const char *name, const zenith_tensor &arg) {
  int64_t count = elementCount(arg.rank, arg.dims), bytes;
  if (count < 0 ||
      __builtin_mul_overflow(count, zenith_dtype_bytes(arg.dtype), &bytes))
    return failInput(context, argName(index, name) + ": shape " +
                                  shapeText(arg.rank, arg.dims) +
                                  " has no number of bytes");
  if (count > 0 && !arg.data)
    return failInput(context, argName(index, name) + ": data is null");
  if (isRowMajor(arg) && bytes > arg.capacity)
    return failInput(context, argName(index, name) + ": got " +
                                  std::to_string(arg.capacity) +
                                  " bytes, its shape needs " +
                                  std::to_string(bytes));
  return ZENITH_OK;
}

int32_t zenith_check_arg(zenith_run_context *context, int64_t index,
                         const char *name, const zenith_tensor *arg,
                         int32_t dtype, int64_t rank, const int64_t *dims) {
  if (arg->struct_size != sizeof(zenith_tensor))
    return failInput(context, argName(index, name) + ": struct_size is " +
                                  std::to_string(arg->struct_size) +
                                  ", expected " +
                                  std::to_string(sizeof(zenith_tensor)));
  if (arg->dtype != dtype)
    return failInput(context,
                     argName(index, name) + ": got " +
                         zenith_dtype_name(arg->dtype) + ", expected " +
                         zenith_dtype_name(dtype),
                     ZENITH_REASON_DTYPE);
  if (arg->rank != rank || (rank > 0 && !arg->dims))
    return failInput(context,
                     argName(index, name) + ": got rank " +
                         std::to_string(arg->rank) + ", expected shape " +
                         shapeText(rank, dims),
                     ZENITH_REASON_RANK);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (arg->dims[axis] < 0 ||
        (dims[axis] >= 0 && arg->dims[axis] != dims[axis]))
      return failInput(context,
                       argName(index, name) + ": got shape " +
                           shapeText(rank, arg->dims) + ", expected " +
                           shapeText(rank, dims),
                       ZENITH_REASON_DIM);
  return checkBytes(context, index, name, *arg);
}

int32_t zenith_fail_dim(zenith_run_context *context, int64_t index,
                        int64_t axis, int64_t got, int64_t expected,
                        const char *dim_name) {
  std::string text = argName(index, nullptr) + ": dimension " +
                     std::to_string(axis) + " is " + std::to_string(got) +
                     ", expected " + std::to_string(expected);
  if (dim_name && *dim_name)
    text += std::string(" (") + dim_name + ")";
  return failInput(context, text, ZENITH_REASON_DIM);
}

/// Copies a strided tensor of nonzero extents to row-major bytes.
static void packElements(const zenith_tensor &from, int64_t elementBytes,
                         char *to) {
  int64_t rank = from.rank;
  int64_t inner = rank ? from.dims[rank - 1] : 1;
  int64_t innerBytes = rank ? from.strides[rank - 1] * elementBytes : 0;
  int64_t rows = elementCount(rank, from.dims) / inner;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, offset = 0;
    for (int64_t axis = rank - 1; axis-- > 0;) {
      offset += rest % from.dims[axis] * from.strides[axis];
      rest /= from.dims[axis];
    }
    const char *source =
        static_cast<const char *>(from.data) + offset * elementBytes;
    for (int64_t i = 0; i < inner; ++i, to += elementBytes)
      std::memcpy(to, source + i * innerBytes, elementBytes);
  }
}

void *zenith_arg_data(zenith_run_context *context, int64_t index,
                      const zenith_tensor *arg) {
  // A tensor without elements may come without data; compiled code takes null
  // for an error.
  if (isRowMajor(*arg))
    return arg->data ? arg->data : context;
  ProfileClock clock(*context);
  int64_t elementBytes = zenith_dtype_bytes(arg->dtype);
  int64_t bytes = elementCount(arg->rank, arg->dims) * elementBytes;
  void *packed = zenith_alloc(context, bytes);
  if (!packed)
    return nullptr;
  packElements(*arg, elementBytes, static_cast<char *>(packed));
  clock.report(ZENITH_EVENT_PACK_ARGUMENT, index, 0, bytes, nullptr);
  return packed;
}

/// Result memory; it outlives the run, unlike the pool's.
static void *allocateResult(zenith_run_context *context, int64_t bytes) {
  int64_t wanted = std::max<int64_t>(bytes, 1);
  if (!context->alloc)
    return zenith_alloc(context, wanted);
  void *data = context->alloc(context->user, wanted, ZENITH_ALLOC_RESULT);
  if (!data)
    zenith_fail_because(context, ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION,
                        ("a result of " + std::to_string(bytes) +
                         " bytes does not fit in memory")
                            .c_str(),
                        nullptr);
  return data;
}

/// Type, rank and extents of a result; false after recording an error.
static bool describeResult(zenith_run_context *context, int64_t index,
                           zenith_tensor *result, int32_t dtype, int64_t rank,
                           const int64_t *dims) {
  if (result->struct_size != sizeof(zenith_tensor) || result->strides) {
    failInput(context, "result " + std::to_string(index) +
                           ": struct_size is wrong or strides are given");
    return false;
  }
  result->dtype = dtype;
  result->rank = static_cast<int32_t>(rank);
  if (!result->dims && rank > 0) {
    result->dims = static_cast<int64_t *>(
        allocateResult(context, rank * static_cast<int64_t>(sizeof(int64_t))));
    if (!result->dims)
      return false;
    result->flags |= ZENITH_TENSOR_OWNS_DIMS;
  }
  std::copy(dims, dims + rank, result->dims);
  return true;
}

void *zenith_result(zenith_run_context *context, int64_t result_index,
                    zenith_tensor *result, int32_t dtype, int64_t rank,
                    const int64_t *dims, int64_t bytes) {
  if (!describeResult(context, result_index, result, dtype, rank, dims))
    return nullptr;
  if (result->data && result->capacity >= bytes)
    return result->data;
  if (result->data) {
    failInput(context, "result " + std::to_string(result_index) +
                           ": has room for " +
                           std::to_string(result->capacity) + " bytes, needs " +
                           std::to_string(bytes));
    return nullptr;
  }
  result->data = allocateResult(context, bytes);
  if (!result->data)
    return nullptr;
  result->capacity = bytes;
  result->flags |= ZENITH_TENSOR_OWNS_DATA;
  return result->data;
}

void *zenith_result_donated(zenith_run_context *context, int64_t result_index,
                            zenith_tensor *result, const zenith_tensor *arg,
                            int32_t dtype, int64_t rank, const int64_t *dims,
                            int64_t bytes) {
  bool take = !result->data && arg->data && isRowMajor(*arg) &&
              (arg->flags & ZENITH_TENSOR_DONATED) && arg->capacity >= bytes;
  if (!take)
    return zenith_result(context, result_index, result, dtype, rank, dims,
                         bytes);
  if (!describeResult(context, result_index, result, dtype, rank, dims))
    return nullptr;
  result->data = arg->data;
  result->capacity = arg->capacity;
  result->flags |= ZENITH_TENSOR_TOOK_DONATION;
  return result->data;
}

void *zenith_result_pooled(zenith_run_context *context, int64_t result_index,
                           zenith_tensor *result, void *data, int32_t dtype,
                           int64_t rank, const int64_t *dims, int64_t bytes) {
  bool mayKeep = !result->data &&
                 context->struct_size >= sizeof(zenith_run_context) &&
                 context->keep;
  if (mayKeep && context->keep(context->user, data, bytes)) {
    result->data = data;
    result->capacity = bytes;
    result->flags |= ZENITH_TENSOR_OWNS_DATA;
    return describeResult(context, result_index, result, dtype, rank, dims)
               ? data
               : nullptr;
  }
  void *own =
      zenith_result(context, result_index, result, dtype, rank, dims, bytes);
  if (own)
    std::memcpy(own, data, size_t(bytes));
  zenith_free(context, data);
  return own;
}

void zenith_result_dims(zenith_tensor *result, const int64_t *dims) {
  std::copy(dims, dims + result->rank, result->dims);
}

void zenith_result_release(zenith_run_context *context, zenith_tensor *result) {
  if (result->flags & ZENITH_TENSOR_OWNS_DATA)
    zenith_free(context, result->data);
  if (result->flags & ZENITH_TENSOR_OWNS_DIMS)
    zenith_free(context, result->dims);
  *result = {};
  result->struct_size = sizeof(zenith_tensor);
}
