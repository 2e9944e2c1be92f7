// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of values: bound, then prepared by a run of their own, or uploaded to a
// device.

#include "frontends/c/RunState.h"

#include "ir/LLVMError.h"

using namespace zenith;
using namespace zenith::c;

zenith_status *ValueSet::prepare(const zenith_executable &executable,
                                 const zenith_run_options &limits) {
  const pipeline::Executable &program = *executable.program;
  for (const auto &value : values)
    table.push_back(const_cast<void *>(value->data));
  if (program.derivedBytes > 0) {
    derived = spare->take(size_t(program.derivedBytes));
    if (!derived)
      derived = Block(context.memory, size_t(program.derivedBytes),
                      ZENITH_ARENA_ALIGNMENT, ZENITH_MEMORY_PARAMETERS);
    if (!derived)
      return noMemory();
  }
  table.push_back(derived.data());
  if (!program.prepare)
    return nullptr;
  if (zenith_status *status = alignOriginals(program))
    return status;
  RunState state(context, executable);
  if (zenith_status *status = state.prepare(*this, limits))
    return status;
  for (size_t index : program.onlyForPrepare) {
    dropOriginal(index);
    table[index] = nullptr;
  }
  return nullptr;
}

/// Copies what @prepare alone reads where it does not fit its element. Each
/// copy goes while what is derived from it comes.
zenith_status *ValueSet::alignOriginals(const pipeline::Executable &program) {
  alignedOriginals.resize(values.size());
  for (size_t index : program.onlyForPrepare) {
    if (values[index]->isAligned(program.parameters[index].dtype))
      continue;
    alignedOriginals[index] = values[index]->alignedCopy(context);
    if (!alignedOriginals[index])
      return noMemory();
    table[index] = alignedOriginals[index].data();
  }
  return nullptr;
}

void ValueSet::dropOriginal(size_t index) {
  alignedOriginals[index] = Block();
  values[index]->dropPages();
}

zenith_status *ValueSet::openDevice(const zenith_executable &executable,
                                    const Replacements &replacements,
                                    const ValueSet *before) {
  pipeline::SessionOptions options;
  options.baseDir = executable.folder;
  options.threads = context.threads;
  options.maxMemoryBytes = executable.maxMemory;
  for (size_t i = 0; i < values.size(); ++i)
    if (isReplaced[i])
      options.parameters[executable.program->parameters[i].name] = {
          "", 0,
          std::string(static_cast<const char *>(values[i]->data),
                      size_t(values[i]->bytes)),
          -1};
  auto session = pipeline::Session::create(executable.program, options);
  if (!session)
    return failure(session.takeError());
  onDevice = std::move(*session);
  return nullptr;
}

zenith_status *ValueSet::make(const zenith_executable &executable,
                              const Replacements &replacements,
                              const ValueSet *before,
                              const zenith_run_options &limits,
                              const std::shared_ptr<SpareMemory> &spare,
                              std::shared_ptr<const ValueSet> &made) {
  zenith_context &context = *executable.context;
  auto set = std::allocate_shared<ValueSet>(
      ContextAllocator<ValueSet>(context.memory), context, spare);
  if (zenith_status *status = set->bind(executable, replacements, before))
    return status;
  zenith_status *status =
      executable.program->device
          ? set->openDevice(executable, replacements, before)
          : set->prepare(executable, limits);
  if (status)
    return status;
  made = std::move(set);
  return nullptr;
}
