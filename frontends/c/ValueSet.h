// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that a session's parameters have at one time, and what @prepare
// computed from them. Immutable once made; runs hold the one that they began
// with.

#ifndef ZENITH_FRONTENDS_C_VALUESET_H
#define ZENITH_FRONTENDS_C_VALUESET_H

#include "frontends/c/Array.h"
#include "frontends/c/Executable.h"
#include "lowering/pipeline/Session.h"

namespace zenith::c {

class RunState;

template <typename T> using ContextVector = std::vector<T, ContextAllocator<T>>;

/// The bytes of one parameter, and what keeps them.
struct ParameterValue {
  const void *data = nullptr; ///< at any address; null where empty
  Ref<zenith_array> array;
  std::shared_ptr<const void> owner; ///< a file of values, or the program
  bool isMapped = false; ///< from a file, whose pages may be dropped
  int64_t bytes = 0;
  Block copy; ///< of a value that was not aligned, which `data` is then

  bool isAligned(zenith_dtype dtype) const;
  /// A copy for every element; empty where there is no memory. Pages of a file
  /// go.
  Block alignedCopy(zenith_context &context) const;
  /// Gives the pages of a mapped file back until they are read again.
  void dropPages() const;
};

/// Values by name that replace those of the module.
using Replacements = std::map<std::string, std::shared_ptr<ParameterValue>>;

/// The memory of a session's set of values that went last. The next swap
/// writes it and waits for no pages, which can take longer than computing what
/// they hold. Until then the system may take them.
class SpareMemory {
public:
  /// Empty where there is none of that size.
  Block take(size_t bytes);
  void keep(Block block);
  void drop();
  /// Keeps nothing from now on.
  void close();

private:
  std::mutex mutex;
  Block spare;
  bool isClosed = false;
};

class ValueSet {
public:
  ValueSet(zenith_context &context, std::shared_ptr<SpareMemory> spare);
  ~ValueSet();

  /// Binds every parameter: a replacement, else that of `before` (may be
  /// null), else the module's own; then runs @prepare, which the cancel token
  /// and the deadline of `limits` may end. What it derives goes to `spare`
  /// memory where there is some, and is that in the end.
  static zenith_status *make(const zenith_executable &executable,
                             const Replacements &replacements,
                             const ValueSet *before,
                             const zenith_run_options &limits,
                             const std::shared_ptr<SpareMemory> &spare,
                             std::shared_ptr<const ValueSet> &made);

  /// What entries take as params.
  void *const *pointers() const { return table.data(); }
  const ParameterValue &value(size_t index) const { return *values[index]; }
  /// Of a parameter that entries don't read: @prepare has read it.
  void dropOriginal(size_t index);

  /// Null for programs that run on the host; one run at a time.
  pipeline::Session *device() const { return onDevice.get(); }
  mutable std::mutex deviceMutex;

private:
  zenith_status *bind(const zenith_executable &executable,
                      const Replacements &replacements, const ValueSet *before);
  zenith_status *prepare(const zenith_executable &executable,
                         const zenith_run_options &limits);
  zenith_status *alignOriginals(const pipeline::Executable &program);
  zenith_status *openDevice(const zenith_executable &executable,
                            const Replacements &replacements,
                            const ValueSet *before);

  ContextVector<std::shared_ptr<ParameterValue>> values;
  ContextVector<bool> isReplaced;
  ContextVector<void *> table;
  /// Of what only @prepare reads, while it runs.
  ContextVector<Block> alignedOriginals;
  Block derived;
  std::shared_ptr<SpareMemory> spare;
  std::unique_ptr<pipeline::Session> onDevice;
  zenith_context &context;
};

/// Values from a .safetensors file, each one that of a parameter.
zenith_status *readReplacements(const zenith_executable &executable,
                                const char *path, Replacements &replacements);
/// The same from arrays, which are held.
zenith_status *readReplacements(const zenith_executable &executable,
                                const zenith_named_array *const *arrays,
                                size_t count, Replacements &replacements);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_VALUESET_H
