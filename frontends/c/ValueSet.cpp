// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds parameters to values. Those that entries read are aligned to their
// elements.

#include "frontends/c/ValueSet.h"

#include "ir/LLVMError.h"
#include "ir/program/ParameterFiles.h"
#include "runtime/MappedFile.h"

using namespace zenith;
using namespace zenith::c;

bool ParameterValue::isAligned(zenith_dtype dtype) const {
  uintptr_t unit = uintptr_t(std::min<int64_t>(zenith_dtype_bytes(dtype), 8));
  return reinterpret_cast<uintptr_t>(data) % unit == 0;
}

Block ParameterValue::alignedCopy(zenith_context &context) const {
  // Large ones on huge pages: to touch pages is most of the work.
  Block made(context.memory, size_t(bytes),
             bytes >= ZENITH_ARENA_ALIGNMENT ? ZENITH_ARENA_ALIGNMENT
                                             : ZENITH_BUFFER_ALIGNMENT,
             ZENITH_MEMORY_PARAMETERS);
  if (made) {
    std::memcpy(made.data(), data, size_t(bytes));
    dropPages();
  }
  return made;
}

void ParameterValue::dropPages() const {
  if (isMapped && !copy)
    runtime::dropFilePages(data, bytes);
}

Block SpareMemory::take(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  return spare.bytes() == bytes ? std::move(spare) : Block();
}

void SpareMemory::keep(Block block) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isClosed && !spare && block.lendPages())
    spare = std::move(block);
}

void SpareMemory::drop() {
  std::lock_guard<std::mutex> lock(mutex);
  spare = Block();
}

void SpareMemory::close() {
  drop();
  std::lock_guard<std::mutex> lock(mutex);
  isClosed = true;
}

ValueSet::ValueSet(zenith_context &context, std::shared_ptr<SpareMemory> spare)
    : values(ContextAllocator<std::shared_ptr<ParameterValue>>(context.memory)),
      isReplaced(ContextAllocator<bool>(context.memory)),
      table(ContextAllocator<void *>(context.memory)),
      alignedOriginals(ContextAllocator<Block>(context.memory)),
      spare(std::move(spare)), context(context) {}

ValueSet::~ValueSet() { spare->keep(std::move(derived)); }

/// Copies a value whose place does not fit its element.
static zenith_status *align(zenith_context &context, zenith_dtype dtype,
                            ParameterValue &value) {
  if (value.isAligned(dtype))
    return nullptr;
  Block copy = value.alignedCopy(context);
  if (!copy)
    return noMemory();
  value.copy = std::move(copy);
  value.data = value.copy.data();
  return nullptr;
}

static zenith_status *failureOf(const runtime::Status &status,
                                zenith_reason reason) {
  return failure(status.code(), reason, status.message(), status.place());
}

/// The value that the module brings.
static zenith_status *moduleValue(const zenith_executable &executable,
                                  size_t index, ParameterValue &value) {
  const runtime::ParameterSpec &spec = executable.program->parameters[index];
  value.bytes = spec.bytes();
  if (!executable.program->parameterHasValue[index])
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_UNBOUND,
                   "parameter '" + spec.name + "' has no value", spec.name);
  if (spec.source.file.empty()) {
    value.owner = executable.program;
    value.data = spec.source.inlineBytes.data();
    return nullptr;
  }
  auto file = runtime::MappedFile::open(
      runtime::resolvePath(executable.folder, spec.source.file));
  if (!file)
    return failureOf(file.status(), ZENITH_REASON_NO_FILE);
  value.owner = *file;
  value.isMapped = true;
  auto range = (*file)->range(spec.source.offset, value.bytes);
  if (!range)
    return failureOf(range.status(), ZENITH_REASON_MALFORMED);
  value.data = *range;
  graph::FileRecord record;
  if (spec.source.fileBytes >= 0)
    record.fileBytes = spec.source.fileBytes;
  auto checksum = executable.program->checksums.find(spec.name);
  if (checksum != executable.program->checksums.end())
    record.checksum = checksum->second;
  if (auto error = graph::checkFile(
          spec.name, record, (*file)->bytes(),
          llvm::StringRef(static_cast<const char *>(value.data),
                          size_t(value.bytes)),
          (*file)->path(), /*verify=*/true))
    return failure(*error, ZENITH_REASON_MALFORMED);
  return nullptr;
}

static bool isOnlyForPrepare(const pipeline::Executable &program,
                             size_t index) {
  return std::binary_search(program.onlyForPrepare.begin(),
                            program.onlyForPrepare.end(), index);
}

zenith_status *ValueSet::bind(const zenith_executable &executable,
                              const Replacements &replacements,
                              const ValueSet *before) {
  const auto &specs = executable.program->parameters;
  for (size_t i = 0; i < specs.size(); ++i) {
    auto given = replacements.find(specs[i].name);
    bool replaces = given != replacements.end();
    isReplaced.push_back(replaces || (before && before->isReplaced[i]));
    if (!replaces && before) {
      values.push_back(before->values[i]);
      continue;
    }
    auto value = std::allocate_shared<ParameterValue>(
        ContextAllocator<ParameterValue>(context.memory));
    if (replaces)
      value = given->second;
    else if (zenith_status *status = moduleValue(executable, i, *value))
      return status;
    if (value->bytes == 0)
      value->data = nullptr;
    if (!isOnlyForPrepare(*executable.program, i))
      if (zenith_status *status = align(context, specs[i].dtype, *value))
        return status;
    values.push_back(std::move(value));
  }
  return nullptr;
}
