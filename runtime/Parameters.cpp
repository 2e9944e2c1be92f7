// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps parameters on first use and runs @prepare when they are bound.

#include "runtime/Parameters.h"

#include "runtime/MappedFile.h"
#include "runtime/RunContext.h"
#include "runtime/SystemResources.h"

#include <algorithm>
#include <cstring>

namespace zenith::runtime {

int64_t ParameterSpec::bytes() const {
  int64_t total = zenith_dtype_bytes(dtype);
  if (total == 0)
    return -1;
  if (std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; }))
    return -1;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  for (int64_t extent : dims)
    if (__builtin_mul_overflow(total, extent, &total))
      return -1;
  return total;
}

Parameters::Parameters(std::string baseDir) : baseDir(std::move(baseDir)) {}

Parameters::~Parameters() = default;

static Status checkSource(const ParameterSpec &spec,
                          const ParameterSource &source) {
  int64_t bytes = spec.bytes();
  if (bytes < 0)
    return Status::error(ZENITH_INVALID_INPUT,
                         "type and extents have no number of bytes",
                         "parameter " + spec.name);
  int64_t given = static_cast<int64_t>(source.inlineBytes.size());
  if (source.file.empty() && given != bytes)
    return Status::error(ZENITH_INVALID_INPUT,
                         "got " + std::to_string(given) + " bytes, expected " +
                             std::to_string(bytes),
                         "parameter " + spec.name);
  return Status();
}

Status Parameters::add(ParameterSpec spec) {
  if (Status status = checkSource(spec, spec.source); !status)
    return status;
  if (!indexOfName.emplace(spec.name, entries.size()).second)
    return Status::error(ZENITH_INVALID_INPUT, "the name is taken",
                         "parameter " + spec.name);
  entries.emplace_back();
  entries.back().spec = std::move(spec);
  prepared = false;
  return Status();
}

int64_t Parameters::find(const std::string &name) const {
  auto found = indexOfName.find(name);
  return found == indexOfName.end() ? -1 : static_cast<int64_t>(found->second);
}

Status Parameters::rebind(const std::string &name, ParameterSource source) {
  int64_t index = find(name);
  if (index < 0)
    return Status::error(ZENITH_INVALID_INPUT,
                         "the program has no such parameter",
                         "parameter " + name);
  Entry &entry = entries[index];
  if (Status status = checkSource(entry.spec, source); !status)
    return status;
  release(index);
  entry.file = nullptr;
  entry.spec.source = std::move(source);
  prepared = false;
  return Status();
}

StatusOr<std::shared_ptr<MappedFile>>
Parameters::openFile(const std::string &name) {
  std::string path = resolvePath(baseDir, name);
  if (std::shared_ptr<MappedFile> file = openFiles[path].lock())
    return file;
  StatusOr<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (file)
    openFiles[path] = *file;
  return file;
}

/// The largest power of two that element addresses must be a multiple of.
static int64_t elementAlignment(int32_t dtype) {
  return std::min<int64_t>(zenith_dtype_bytes(dtype), 8);
}

StatusOr<const void *> Parameters::data(size_t index) {
  Entry &entry = entries[index];
  const ParameterSource &source = entry.spec.source;
  int64_t bytes = entry.spec.bytes();
  if (entry.copy)
    return static_cast<const void *>(entry.copy.data());
  if (!source.file.empty() && !entry.file) {
    auto file = openFile(source.file);
    if (!file)
      return file.status();
    entry.file = *file;
    if (source.fileBytes >= 0 && source.fileBytes != (*file)->bytes())
      return Status::error(ZENITH_INVALID_INPUT,
                           "parameter '" + entry.spec.name +
                               "': the file has " +
                               std::to_string((*file)->bytes()) +
                               " bytes, the program was written for one of " +
                               std::to_string(source.fileBytes),
                           (*file)->path());
  }
  const void *place = source.inlineBytes.data();
  if (entry.file) {
    StatusOr<const void *> range = entry.file->range(source.offset, bytes);
    if (!range)
      return Status::error(range.status().code(), range.status().text(),
                           "parameter " + entry.spec.name);
    place = *range;
  }
  if (bytes == 0)
    return static_cast<const void *>(nullptr);
  if (reinterpret_cast<uintptr_t>(place) % elementAlignment(entry.spec.dtype) ==
      0)
    return place;
  entry.copy = PageBlock::allocate(bytes);
  if (!entry.copy)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         std::to_string(bytes) + " bytes do not fit in memory",
                         "parameter " + entry.spec.name);
  std::memcpy(entry.copy.data(), place, bytes);
  if (entry.file)
    entry.file->release(source.offset, bytes);
  return static_cast<const void *>(entry.copy.data());
}

void Parameters::release(size_t index) {
  Entry &entry = entries[index];
  entry.copy = PageBlock();
  if (entry.file)
    entry.file->release(entry.spec.source.offset, entry.spec.bytes());
}

Status Parameters::prepare(RunContext &context, zenith_entry_fn entry,
                           int64_t derivedBytes,
                           const std::vector<size_t> &onlyForPrepare) {
  if (prepared)
    return Status();
  std::vector<void *> table;
  table.reserve(entries.size() + 1);
  for (size_t index = 0; index < entries.size(); ++index) {
    StatusOr<const void *> value = data(index);
    if (!value)
      return value.status();
    // Entries take one type of pointer for all; they don't write to parameters.
    table.push_back(const_cast<void *>(*value));
  }
  if (derivedBytes > derivedLength && derivedBytes > availableMemory())
    return Status::error(
        ZENITH_OUT_OF_MEMORY,
        "derived parameters of " + std::to_string(derivedBytes) +
            " bytes do not fit: " + std::to_string(availableMemory()) +
            " bytes of memory are available");
  if (derivedBytes != derivedLength || !derived)
    derived = PageBlock::allocate(
        derivedBytes > 0
            ? std::max<int64_t>(derivedBytes, ZENITH_ARENA_ALIGNMENT)
            : 0);
  derivedLength = derivedBytes;
  if (derivedBytes > 0 && !derived)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         "derived parameters of " +
                             std::to_string(derivedBytes) +
                             " bytes do not fit in memory");
  table.push_back(derived.data());
  pointerTable = std::move(table);
  std::vector<zenith_tensor> noResults;
  if (entry) {
    // Originals go while their derived values come, so that both are never
    // there as a whole.
    context.setParameterDone([this](int64_t index) { release(index); });
    Status status = context.run(entry, {}, noResults, pointerTable.data());
    context.setParameterDone({});
    if (!status)
      return status;
  }
  for (size_t index : onlyForPrepare) {
    release(index);
    pointerTable[index] = nullptr;
  }
  prepared = true;
  return Status();
}

} // namespace zenith::runtime
