// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as tensors of DLPack 1.x and back, without copies.

#include "frontends/c/Array.h"

#include "runtime/ABI.h"
#include <cstring>

using namespace zenith;
using namespace zenith::c;

// The structs of DLPack 1.0, as its specification has them.
namespace {
struct DLPackVersion {
  uint32_t major, minor;
};
struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
} // namespace

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor tensor;
};

static constexpr int32_t hostDevice = 1;
static constexpr uint64_t readOnlyFlag = 1;

namespace {
struct TypeRow {
  uint8_t code, bits;
  zenith_dtype dtype;
};
} // namespace

/// Codes of DLPack: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool, and
/// since 1.1 one for each f8.
static constexpr TypeRow types[] = {
    {0, 8, ZENITH_I8},        {0, 16, ZENITH_I16},
    {0, 32, ZENITH_I32},      {0, 64, ZENITH_I64},
    {1, 8, ZENITH_UI8},       {1, 16, ZENITH_UI16},
    {1, 32, ZENITH_UI32},     {1, 64, ZENITH_UI64},
    {2, 16, ZENITH_F16},      {2, 32, ZENITH_F32},
    {2, 64, ZENITH_F64},      {4, 16, ZENITH_BF16},
    {5, 64, ZENITH_C64},      {5, 128, ZENITH_C128},
    {6, 8, ZENITH_I1},        {7, 8, ZENITH_F8E3M4},
    {8, 8, ZENITH_F8E4M3},    {9, 8, ZENITH_F8E4M3B11FNUZ},
    {10, 8, ZENITH_F8E4M3FN}, {11, 8, ZENITH_F8E4M3FNUZ},
    {12, 8, ZENITH_F8E5M2},   {13, 8, ZENITH_F8E5M2FNUZ}};

static zenith_status *refuse(const std::string &what) {
  return failure(ZENITH_UNSUPPORTED, ZENITH_REASON_NONE, what);
}

/// The view of a tensor whose type is known.
static zenith_status *readTensor(const DLManagedTensorVersioned &managed,
                                 zenith_view &view) {
  const DLTensor &tensor = managed.tensor;
  if (managed.version.major != 1)
    return refuse("DLPack " + std::to_string(managed.version.major) +
                  ".x is not supported: this is 1.x");
  if (tensor.device.type != hostDevice)
    return refuse("tensors on DLPack device " +
                  std::to_string(tensor.device.type) + " are not supported");
  zenith_dtype found = 0;
  for (const TypeRow &row : types)
    if (row.code == tensor.dtype.code && row.bits == tensor.dtype.bits)
      found = row.dtype;
  if (!found || tensor.dtype.lanes != 1)
    return refuse("DLPack type (" + std::to_string(tensor.dtype.code) + ", " +
                  std::to_string(tensor.dtype.bits) + ", " +
                  std::to_string(tensor.dtype.lanes) + ") is not supported");
  view = {};
  view.struct_size = sizeof(view);
  view.dtype = found;
  view.rank = tensor.ndim;
  view.dims = tensor.shape;
  view.strides = tensor.strides;
  view.data = tensor.data ? static_cast<char *>(tensor.data) + tensor.byteOffset
                          : nullptr;
  return nullptr;
}

static void callDeleter(void *managed, void *) {
  auto *tensor = static_cast<DLManagedTensorVersioned *>(managed);
  if (tensor->deleter)
    tensor->deleter(tensor);
}

zenith_status *zenith_array_from_dlpack(zenith_context *context,
                                        DLManagedTensorVersioned *tensor,
                                        zenith_array **array) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!context || !tensor || !array)
      return nullPointer(!context ? "context" : tensor ? "array" : "tensor");
    *array = nullptr;
    zenith_view view;
    if (zenith_status *status = readTensor(*tensor, view))
      return status;
    if (zenith_status *status = zenith_array_wrap(
            context, &view, ZENITH_HOLD_TAKE, callDeleter, tensor, array))
      return status;
    (*array)->isWritable = !(tensor->flags & readOnlyFlag);
    return nullptr;
  });
}

namespace {
/// A tensor for a consumer, which holds its array.
struct Exported : DLManagedTensorVersioned {
  Ref<zenith_context> context;
  Ref<zenith_array> array;
};
} // namespace

static void deleteExported(DLManagedTensorVersioned *self) {
  destroy(static_cast<Exported *>(self));
}

zenith_status *
zenith_array_to_dlpack(zenith_array *array,
                       DLManagedTensorVersioned **tensor) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!array || !tensor)
      return nullPointer(array ? "tensor" : "array");
    *tensor = nullptr;
    const TypeRow *found = nullptr;
    for (const TypeRow &row : types)
      if (row.dtype == array->dtype)
        found = &row;
    if (!found)
      return refuse(std::string("DLPack has no type for ") +
                    zenith_dtype_name(array->dtype));
    auto *exported = create<Exported>(*array->context);
    exported->context = array->context;
    exported->array = Ref<zenith_array>(array);
    exported->version = {1, 0};
    exported->deleter = deleteExported;
    exported->flags = array->isWritable ? 0 : readOnlyFlag;
    // Consumers of 1.x must take null strides as row-major.
    exported->tensor = {array->data,
                        {hostDevice, 0},
                        array->rank,
                        {found->code, found->bits, 1},
                        array->dims,
                        array->strides,
                        0};
    *tensor = exported;
    return nullptr;
  });
}
