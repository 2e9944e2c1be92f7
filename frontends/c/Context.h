// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context: memory, threads, cache and listener; and objects that belong to
// it.

#ifndef ZENITH_FRONTENDS_C_CONTEXT_H
#define ZENITH_FRONTENDS_C_CONTEXT_H

#include "frontends/c/CallStatus.h"
#include "frontends/c/Memory.h"
#include "frontends/models/Diagnostics.h"
#include "lowering/pipeline/Remarks.h"
#include <map>
#include <memory>
#include <mutex>

namespace zenith::runtime {
class ThreadPool;
}

struct zenith_cancel {
  int32_t requested = 0; ///< atomically
};

struct zenith_context : zenith::c::Counted {
  zenith_context(const zenith_allocator &allocator,
                 const zenith_context_options &options)
      : allocator(allocator), memory(allocator, options.max_memory) {}

  const zenith_allocator allocator;
  zenith::c::Memory memory;
  zenith_parallel parallel = {}; ///< without a function: own threads
  int threads = 1;
  std::string cacheDir;
  zenith_record_fn record = nullptr;
  void *recordUser = nullptr;
  std::atomic<int64_t> modules{0}, compilations{0}, cacheHits{0}, runs{0};

  /// Own threads that run up to `threads` bodies at a time; made by the first
  /// run that asks.
  std::shared_ptr<zenith::runtime::ThreadPool> pool(int threads);

private:
  std::mutex mutex;
  std::map<int, std::shared_ptr<zenith::runtime::ThreadPool>> pools;
};

void release(zenith_context *context) noexcept;

namespace zenith::c {

/// A new object with one owner in memory of its context; throws std::bad_alloc.
template <typename Object, typename... Arguments>
Object *create(zenith_context &context, Arguments &&...arguments) {
  void *place = context.memory.allocate(sizeof(Object), alignof(Object),
                                        ZENITH_MEMORY_OBJECT);
  if (!place)
    throw std::bad_alloc();
  try {
    return new (place) Object(std::forward<Arguments>(arguments)...);
  } catch (...) {
    context.memory.free(place, sizeof(Object), ZENITH_MEMORY_OBJECT);
    throw;
  }
}
/// The end of an object that create() made, whose member `context` is a Ref.
template <typename Object> void destroy(Object *object) noexcept {
  Ref<zenith_context> context = object->context;
  object->~Object();
  context->memory.free(object, sizeof(Object), ZENITH_MEMORY_OBJECT);
}

/// Hands a message, remark or step to the context's listener, if there is one.
void recordMessage(zenith_context &context, const models::Message &message);
void recordRemark(zenith_context &context, const pipeline::Remark &remark);
void recordProgress(zenith_context &context, const char *phase, int64_t done,
                    int64_t total);
/// Records an error's status and gives it back.
zenith_status *recorded(zenith_context &context, zenith_status *status);

/// Why a call with this token and deadline should end now; null where it should
/// not.
zenith_status *interruption(const zenith_cancel *cancel, int64_t deadline);
/// The same as an error of the libraries below.
std::optional<Error> interruptionError(const zenith_cancel *cancel,
                                       int64_t deadline);
/// The status of an error that may be such an interruption.
zenith_status *failureOf(llvm::Error error, const zenith_cancel *cancel,
                         int64_t deadline, zenith_reason invalid);

/// A blob of the caller's.
zenith_status *makeBlob(const std::string &bytes, zenith_blob **blob);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_CONTEXT_H
