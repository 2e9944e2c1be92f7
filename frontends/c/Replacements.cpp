// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for parameters from files and from arrays of the host.

#include "frontends/c/FileReasons.h"
#include "frontends/c/StructReading.h"
#include "frontends/c/ValueSet.h"

#include "frontends/models/Suggestion.h"
#include "frontends/tensors/Safetensors.h"
#include "ir/LLVMError.h"
#include "lowering/elements/ElementCodes.h"

using namespace zenith;
using namespace zenith::c;

/// The parameter that a value is for, and whether it fits.
static zenith_status *check(const zenith_executable &executable,
                            const std::string &name, zenith_dtype dtype,
                            llvm::ArrayRef<int64_t> dims) {
  auto found = llvm::find_if(executable.parameters, [&](const Value &value) {
    return value.name == name;
  });
  if (found == executable.parameters.end()) {
    std::vector<std::string> names;
    for (const Value &value : executable.parameters)
      names.push_back(value.name);
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "the program has no parameter '" + name + "'" +
                     models::suggestion(name, names));
  }
  if (dtype == found->dtype && dims == llvm::ArrayRef(found->dims))
    return nullptr;
  zenith_reason reason = dtype != found->dtype ? ZENITH_REASON_DTYPE
                         : dims.size() != found->dims.size()
                             ? ZENITH_REASON_RANK
                             : ZENITH_REASON_DIM;
  return failure(ZENITH_INVALID_INPUT, reason,
                 "parameter '" + name + "': got " +
                     typeText(dtype, int32_t(dims.size()), dims.data()) +
                     ", expected " +
                     typeText(found->dtype, int32_t(found->dims.size()),
                              found->dims.data()),
                 name);
}

static std::shared_ptr<ParameterValue>
newValue(const zenith_executable &executable) {
  return std::allocate_shared<ParameterValue>(
      ContextAllocator<ParameterValue>(executable.context->memory));
}

namespace {
/// An open file with the context of its types.
struct OpenFile {
  mlir::MLIRContext types{mlir::MLIRContext::Threading::DISABLED};
  std::optional<tensors::Safetensors> file;
};
} // namespace

zenith_status *zenith::c::readReplacements(const zenith_executable &executable,
                                           const char *path,
                                           Replacements &replacements) {
  if (!path)
    return nullptr;
  if (zenith_status *status = checkReadable(path))
    return status;
  auto open = std::make_shared<OpenFile>();
  auto file = tensors::Safetensors::open(path, &open->types);
  if (!file)
    return failure(file.takeError(), ZENITH_REASON_MALFORMED);
  open->file = std::move(*file);
  for (const auto &[name, tensor] : open->file->tensors()) {
    if (zenith_status *status =
            check(executable, name, kernels::elementCode(tensor.elementType()),
                  tensor.shape()))
      return status;
    auto value = newValue(executable);
    value->data = tensor.bytes();
    value->bytes = tensor.byteSize();
    value->owner = open;
    value->isMapped = open->file->isMapped();
    replacements[name] = std::move(value);
  }
  return nullptr;
}

zenith_status *
zenith::c::readReplacements(const zenith_executable &executable,
                            const zenith_named_array *const *arrays,
                            size_t count, Replacements &replacements) {
  for (size_t i = 0; i < count; ++i) {
    zenith_named_array named;
    if (!arrays || !arrays[i])
      return nullPointer("parameters");
    if (zenith_status *status = readStruct(arrays[i], named))
      return status;
    if (!named.name || !named.array)
      return nullPointer("name or array of a parameter");
    zenith_array &array = *named.array;
    if (array.context.get() != executable.context.get())
      return usage(ZENITH_REASON_WRONG_CONTEXT,
                   "the array of '" + std::string(named.name) +
                       "' belongs to another context");
    if (zenith_status *status =
            check(executable, named.name, array.dtype,
                  llvm::ArrayRef(array.dims, size_t(array.rank))))
      return status;
    auto value = newValue(executable);
    value->bytes = zenith_array_bytes(&array);
    value->data = array.data;
    value->array = Ref<zenith_array>(&array);
    if (!isRowMajor(array.rank, array.dims, array.strides)) {
      value->copy = Block(executable.context->memory, size_t(value->bytes), 64,
                          ZENITH_MEMORY_PARAMETERS);
      if (!value->copy)
        return noMemory();
      packElements(viewOf(array), static_cast<char *>(value->copy.data()));
      value->data = value->copy.data();
    }
    replacements[named.name] = std::move(value);
  }
  return nullptr;
}
