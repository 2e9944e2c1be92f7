// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creating and releasing contexts, and their listeners.

#include "frontends/c/Context.h"

#include "frontends/c/StructReading.h"
#include "ir/LLVMError.h"
#include "runtime/SystemResources.h"
#include "runtime/ThreadPool.h"
#include "llvm/Support/JSON.h"
#include <csignal>

using namespace zenith;
using namespace zenith::c;

/// While it lives, threads that this one starts block all signals: handlers are
/// the host's.
namespace {
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};
} // namespace

std::shared_ptr<runtime::ThreadPool> zenith_context::pool(int wanted) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<runtime::ThreadPool> &found = pools[wanted];
  if (!found) {
    BlockedSignals blocked;
    found = std::make_shared<runtime::ThreadPool>(wanted);
  }
  return found;
}

static zenith_status *checkVersion(uint32_t version) {
  if (version >> 16 == ZENITH_VERSION_MAJOR && version <= ZENITH_API_VERSION)
    return nullptr;
  return usage(ZENITH_REASON_VERSION,
               "the caller was built for version " +
                   std::to_string(version >> 16) + "." +
                   std::to_string(version & 0xffff) + ", the library is " +
                   std::to_string(ZENITH_VERSION_MAJOR) + "." +
                   std::to_string(ZENITH_VERSION_MINOR));
}

static zenith_status *checkOptions(const zenith_context_options &options,
                                   const zenith_allocator &allocator,
                                   const zenith_parallel &parallel) {
  if (options.threads < 0 || options.threads > 4096)
    return usage(ZENITH_REASON_NONE, "threads: got " +
                                         std::to_string(options.threads) +
                                         ", expected 0 to 4096");
  if (zenith_status *status = checkMaxMemory(options.max_memory))
    return status;
  if (options.allocator && (!allocator.alloc || !allocator.free))
    return nullPointer("alloc or free of the allocator");
  if (options.parallel && !parallel.parallel_for)
    return nullPointer("parallel_for");
  return nullptr;
}

static zenith_context *make(const zenith_context_options &options,
                            const zenith_allocator &allocator,
                            const zenith_parallel &parallel) {
  void *place =
      Memory::allocateBy(allocator, sizeof(zenith_context),
                         alignof(zenith_context), ZENITH_MEMORY_OBJECT);
  if (!place)
    throw std::bad_alloc();
  auto *context = new (place) zenith_context(allocator, options);
  context->parallel = parallel;
  context->threads = options.parallel ? std::max(parallel.threads, 1)
                                      : runtime::usefulThreads(options.threads);
  context->record = options.record;
  context->recordUser = options.record_user;
  if (options.cache_dir)
    context->cacheDir = options.cache_dir;
  return context;
}

zenith_status *zenith_context_create(uint32_t api_version,
                                     const zenith_context_options *given,
                                     zenith_context **context) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!context)
      return nullPointer("context");
    *context = nullptr;
    if (zenith_status *status = checkVersion(api_version))
      return status;
    zenith_context_options options;
    zenith_allocator allocator;
    zenith_parallel parallel;
    if (zenith_status *status = readStruct(given, options))
      return status;
    if (zenith_status *status = readStruct(options.allocator, allocator))
      return status;
    if (zenith_status *status = readStruct(options.parallel, parallel))
      return status;
    if (zenith_status *status = checkOptions(options, allocator, parallel))
      return status;
    *context = make(options, allocator, parallel);
    return nullptr;
  });
}

void release(zenith_context *context) noexcept {
  if (!context || !drop(*context))
    return;
  const zenith_allocator allocator = context->allocator;
  context->~zenith_context();
  Memory::freeBy(allocator, context, sizeof(zenith_context),
                 ZENITH_MEMORY_OBJECT);
}

void zenith_context_free(zenith_context *context) noexcept { release(context); }

//===- records
//-------------------------------------------------------------===//

static void record(zenith_context &context, zenith_record_kind kind,
                   const char *topic, const char *code, const std::string &text,
                   const std::string &place, const std::string &json,
                   int64_t done = 0, int64_t total = 0) {
  zenith_record record = {};
  record.struct_size = sizeof(record);
  record.kind = kind;
  record.topic = topic;
  record.code = code;
  record.text = text.c_str();
  record.place = place.c_str();
  record.json = json.c_str();
  record.done = done;
  record.total = total;
  context.record(context.recordUser, &record);
}

void zenith::c::recordMessage(zenith_context &context,
                              const models::Message &message) {
  if (!context.record || message.severity == "note" ||
      message.severity == "remark")
    return;
  record(context,
         message.severity == "error" ? ZENITH_RECORD_ERROR
                                     : ZENITH_RECORD_WARNING,
         nullptr, nullptr, message.text, message.place,
         "{\"severity\":" + quoted(message.severity) +
             ",\"message\":" + quoted(message.text) +
             ",\"place\":" + quoted(message.place) + "}");
}

void zenith::c::recordRemark(zenith_context &context,
                             const pipeline::Remark &remark) {
  if (!context.record)
    return;
  const remarks::Entry &entry = remarks::entryOf(remark.code);
  record(context, ZENITH_RECORD_REMARK,
         remarks::topicWord(entry.topic).str().c_str(),
         entry.name.str().c_str(), remark.text, remark.location,
         pipeline::toJSON(remark));
}

void zenith::c::recordProgress(zenith_context &context, const char *phase,
                               int64_t done, int64_t total) {
  if (context.record)
    record(context, ZENITH_RECORD_PROGRESS, phase, nullptr, "", "",
           "{\"phase\":" + quoted(phase) + ",\"done\":" + std::to_string(done) +
               ",\"total\":" + std::to_string(total) + "}",
           done, total);
}

zenith_status *zenith::c::recorded(zenith_context &context,
                                   zenith_status *status) {
  if (status && context.record)
    record(context, ZENITH_RECORD_ERROR, nullptr, nullptr,
           zenith_status_message(status), zenith_status_place(status),
           zenith_status_json(status));
  return status;
}

//===- interruptions
//-------------------------------------------------------===//

std::optional<Error> zenith::c::interruptionError(const zenith_cancel *cancel,
                                                  int64_t deadline) {
  if (cancel && __atomic_load_n(&cancel->requested, __ATOMIC_RELAXED))
    return Error{ErrorCode::Run, "the call was cancelled", "", false};
  if (deadline && zenith_now() >= deadline)
    return Error{ErrorCode::Run, "the call did not end before its deadline", "",
                 false};
  return std::nullopt;
}

zenith_status *zenith::c::interruption(const zenith_cancel *cancel,
                                       int64_t deadline) {
  std::optional<Error> error = interruptionError(cancel, deadline);
  if (!error)
    return nullptr;
  bool isCancelled =
      cancel && __atomic_load_n(&cancel->requested, __ATOMIC_RELAXED);
  return failure(ZENITH_RUN_FAILED,
                 isCancelled ? ZENITH_REASON_CANCELLED : ZENITH_REASON_DEADLINE,
                 error->text);
}

zenith_status *zenith::c::failureOf(llvm::Error error,
                                    const zenith_cancel *cancel,
                                    int64_t deadline, zenith_reason invalid) {
  Error why = errorOf(std::move(error));
  if (why.code == ErrorCode::Run)
    if (zenith_status *status = interruption(cancel, deadline))
      return status;
  return failure(why, invalid);
}
