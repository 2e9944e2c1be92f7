// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in NumPy's files.

#include "frontends/c/Array.h"
#include "frontends/c/FileReasons.h"
#include "frontends/files/MappedBytes.h"
#include "frontends/tensors/NpyFile.h"
#include "ir/LLVMError.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/IR/MLIRContext.h"

using namespace zenith;
using namespace zenith::c;

static std::unique_ptr<mlir::MLIRContext> typesContext() {
  return std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
}

zenith_status *zenith_array_load_npy(zenith_context *context, const char *path,
                                     zenith_dtype dtype,
                                     zenith_array **array) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!context || !path || !array)
      return nullPointer(!context ? "context" : path ? "array" : "path");
    *array = nullptr;
    if (zenith_status *status = checkReadable(path))
      return status;
    auto types = typesContext();
    mlir::Type wanted =
        dtype ? kernels::elementType(types.get(), dtype) : mlir::Type();
    if (dtype && !wanted)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                     "no element type has the number " + std::to_string(dtype));
    auto file = files::ByteSource::open(path);
    if (!file)
      return failure(file.error(), ZENITH_REASON_NO_FILE);
    auto tensor = tensors::readNpy(**file, wanted, types.get());
    if (!tensor)
      return failure(tensor.takeError(), ZENITH_REASON_MALFORMED);
    int32_t code = kernels::elementCode(tensor->elementType());
    if (!code || (dtype && code != dtype))
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                     "the file has elements of another type", path);
    Ref<zenith_array> made;
    if (zenith_status *status = arrayOf(*context, *tensor, made))
      return status;
    *array = made.take();
    return nullptr;
  });
}

zenith_status *zenith_array_save_npy(const zenith_array *array,
                                     const char *path) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!array || !path)
      return nullPointer(array ? "path" : "array");
    auto types = typesContext();
    if (llvm::Error error =
            tensors::writeNpy(path, tensorOf(*array, types.get())))
      return failure(std::move(error), ZENITH_REASON_NO_FILE);
    return nullptr;
  });
}
