// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A length, a JSON header, then the elements.

#include "frontends/tensors/Safetensors.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/files/ElementNames.h"
#include "frontends/files/JSONText.h"
#include "ir/LLVMError.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;
using llvm::Expected;

static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> dtypes[] =
    {{"BOOL", "i1"},   {"U8", "ui8"},         {"I8", "i8"},
     {"I16", "i16"},   {"U16", "ui16"},       {"F16", "f16"},
     {"BF16", "bf16"}, {"I32", "i32"},        {"U32", "ui32"},
     {"F32", "f32"},   {"F64", "f64"},        {"I64", "i64"},
     {"U64", "ui64"},  {"F8_E5M2", "f8E5M2"}, {"F8_E4M3", "f8E4M3FN"}};

// The format allows headers up to this size.
static constexpr uint64_t maxHeaderBytes = 100'000'000;

namespace {
struct HeaderEntry {
  RankedTensorType type;
  uint64_t begin = 0, end = 0;
};
} // namespace

static Expected<HeaderEntry> parseEntry(StringRef path, StringRef name,
                                        const llvm::json::Value &value,
                                        MLIRContext *context) {
  auto bad = [&](const char *what) {
    return makeError(ErrorCode::Invalid, "tensor '" + name.str() + "' " + what,
                     path);
  };
  const llvm::json::Object *object = value.getAsObject();
  std::optional<StringRef> dtype =
      object ? object->getString("dtype") : std::nullopt;
  const llvm::json::Array *shape = object ? object->getArray("shape") : nullptr;
  const llvm::json::Array *range =
      object ? object->getArray("data_offsets") : nullptr;
  if (!dtype || !shape || !range || range->size() != 2)
    return bad("lacks dtype, shape or data_offsets");
  SmallVector<int64_t> sizes;
  for (const llvm::json::Value &size : *shape) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number || *number < 0)
      return bad("has a shape that is none");
    sizes.push_back(*number);
  }
  std::optional<int64_t> begin = (*range)[0].getAsInteger(),
                         end = (*range)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin)
    return bad("has data_offsets that are no range");
  for (auto [spelled, element] : dtypes)
    if (spelled == *dtype)
      return HeaderEntry{
          RankedTensorType::get(sizes, elementTypeNamed(element, context)),
          uint64_t(*begin), uint64_t(*end)};
  return makeError(
      ErrorCode::Unsupported,
      "tensor '" + name.str() + "' has elements of type " + dtype->str(), path);
}

Expected<Safetensors> Safetensors::open(const std::string &path,
                                        MLIRContext *context) {
  auto source = files::ByteSource::open(path);
  if (!source)
    return makeError(source.error().ofFile(path));
  StringRef bytes((*source)->bytes());
  if (bytes.size() < 8)
    return makeError(ErrorCode::Invalid, "is too short for a .safetensors file",
                     path);
  uint64_t length = llvm::support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(8);
  if (length > bytes.size() || length > maxHeaderBytes)
    return makeError(ErrorCode::Invalid,
                     "has a header of " + std::to_string(length) +
                         " bytes, the file ends before",
                     path);
  Expected<llvm::json::Value> header = parseJSON(bytes.take_front(length));
  if (!header)
    return makeError(ErrorCode::Invalid,
                     "has a header that is no JSON: " +
                         llvm::toString(header.takeError()),
                     path);
  const llvm::json::Object *object = header->getAsObject();
  if (!object)
    return makeError(ErrorCode::Invalid, "has a header that is no JSON object",
                     path);
  bytes = bytes.drop_front(length);
  Safetensors file;
  file.mapped = !(*source)->path().empty();
  for (const auto &[key, value] : *object) {
    StringRef name = key;
    if (name == "__metadata__")
      continue;
    Expected<HeaderEntry> entry = parseEntry(path, name, value, context);
    if (!entry)
      return entry.takeError();
    std::optional<int64_t> size = tensorBytes(entry->type);
    if (!size || entry->end > bytes.size() ||
        entry->end - entry->begin != uint64_t(*size))
      return makeError(ErrorCode::Invalid,
                       "tensor '" + name.str() +
                           "' has data_offsets that do not fit " +
                           typeText(entry->type),
                       path);
    file.offsets[name.str()] = 8 + length + entry->begin;
    file.entries[name.str()] =
        Tensor(entry->type, bytes.data() + entry->begin, *source);
  }
  return file;
}

const Tensor *Safetensors::find(StringRef name) const {
  auto entry = entries.find(name.str());
  return entry == entries.end() ? nullptr : &entry->second;
}

llvm::Error zenith::tensors::writeSafetensors(
    const std::string &path, const std::map<std::string, Tensor> &tensors) {
  llvm::json::Object header;
  int64_t offset = 0;
  for (const auto &[name, tensor] : tensors) {
    std::string element = elementName(tensor.elementType());
    StringRef dtype;
    for (auto [spelled, type] : dtypes)
      if (type == element)
        dtype = spelled;
    if (dtype.empty())
      return makeError(ErrorCode::Unsupported,
                       "tensor '" + name +
                           "': the format has no element type " + element,
                       path);
    header[name] = llvm::json::Object{
        {"dtype", dtype},
        {"shape", llvm::json::Array(tensor.shape())},
        {"data_offsets",
         llvm::json::Array{offset, offset + tensor.byteSize()}}};
    offset += tensor.byteSize();
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(header));
  text.append((8 - text.size() % 8) % 8, ' ');
  char length[8];
  llvm::support::endian::write64le(length, text.size());
  files::AtomicFile file(path);
  Status status = file.open();
  if (status)
    status = file.write(std::string_view(length, 8));
  if (status)
    status = file.write(text);
  for (const auto &[name, tensor] : tensors)
    if (status)
      status = file.write(
          std::string_view(tensor.bytes(), size_t(tensor.byteSize())));
  if (status)
    status = file.commit();
  return status ? llvm::Error::success()
                : makeError(status.error().ofFile(path));
}
