// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds thread pool and memory pool to the callbacks of the ABI.

#include "runtime/RunContext.h"

#include "runtime/SystemResources.h"
#include "runtime/ThreadPool.h"

namespace zenith::runtime {

RunContext::RunContext(const RunOptions &options)
    : memory(options.maxMemoryBytes, options.spill), file(options.offload),
      pool(std::make_shared<ThreadPool>(usefulThreads(options.threads))) {
  fillContext();
}

RunContext::RunContext(std::shared_ptr<ThreadPool> pool, int64_t maxMemoryBytes)
    : memory(maxMemoryBytes), file({}), pool(std::move(pool)) {
  fillContext();
}

RunContext::~RunContext() = default;

void RunContext::fillContext() {
  context.struct_size = sizeof(context);
  context.user = this;
  context.alloc = [](void *user, int64_t bytes, int32_t kind) {
    return static_cast<RunContext *>(user)->allocate(bytes, kind);
  };
  context.extend = [](void *user, void *data, int64_t bytes) {
    return static_cast<RunContext *>(user)->extend(data, bytes);
  };
  context.keep = [](void *user, void *data, int64_t bytes) {
    return int32_t(static_cast<RunContext *>(user)->memory.keep(data, bytes));
  };
  context.free = [](void *user, void *data) {
    static_cast<RunContext *>(user)->memory.free(data);
  };
  context.arena = [](void *user, int64_t bytes) {
    return static_cast<RunContext *>(user)->arena(bytes);
  };
  context.parallel_for = [](void *user, zenith_task_fn fn,
                            void *const *pointers, const int64_t *sizes,
                            int64_t tasks) {
    static_cast<RunContext *>(user)->pool->parallelFor(fn, pointers, sizes,
                                                       tasks);
  };
  context.cancel = &cancelFlag;
  context.file = file.abi();
}

/// The pool knows why it refuses; the ABI's null does not, so the reason is
/// recorded here.
void *RunContext::given(const StatusOr<void *> &data) {
  if (data)
    return *data;
  data.status().record(context.error);
  return nullptr;
}

void *RunContext::allocate(int64_t bytes, int32_t kind) {
  return given(memory.allocate(bytes, static_cast<zenith_alloc_kind>(kind)));
}

void *RunContext::extend(void *data, int64_t bytes) {
  return given(memory.extend(data, bytes));
}

void *RunContext::arena(int64_t bytes) { return given(memory.arena(bytes)); }

Status RunContext::run(zenith_entry_fn entry,
                       const std::vector<zenith_tensor> &args,
                       std::vector<zenith_tensor> &results,
                       void *const *params) {
  context.error = {};
  memory.resetPeak();
  int32_t code = entry(&context, args.data(), args.size(), results.data(),
                       results.size(), params);
  memory.reclaim();
  if (context.device && context.device->reclaim)
    context.device->reclaim(context.device->user);
  __atomic_store_n(&cancelFlag, 0, __ATOMIC_RELAXED);
  if (context.error.code != ZENITH_OK)
    return Status::fromABI(context.error);
  if (code != ZENITH_OK)
    return Status::error(static_cast<zenith_code>(code),
                         "the program failed without a reason");
  return Status();
}

void RunContext::release(zenith_tensor &result) {
  zenith_result_release(&context, &result);
}

void RunContext::cancel() {
  __atomic_store_n(&cancelFlag, 1, __ATOMIC_RELAXED);
}

void RunContext::setParameterDone(std::function<void(int64_t index)> done) {
  parameterDone = std::move(done);
  context.param_done = nullptr;
  if (parameterDone)
    context.param_done = [](void *user, int64_t index) {
      static_cast<RunContext *>(user)->parameterDone(index);
    };
}

void RunContext::setProfile(
    std::function<void(const zenith_profile_event &)> profile) {
  profileCallback = std::move(profile);
  context.profile = nullptr;
  if (profileCallback)
    context.profile = [](void *user, const zenith_profile_event *event) {
      static_cast<RunContext *>(user)->profileCallback(*event);
    };
}

void RunContext::setProgress(
    std::function<bool(int64_t, const int64_t *, int64_t)> progress) {
  progressCallback = std::move(progress);
  context.progress = nullptr;
  if (progressCallback)
    context.progress = [](void *user, int64_t loop, const int64_t *numbers,
                          int64_t count) {
      // The word after the numbers is the host's.
      if (!static_cast<RunContext *>(user)->progressCallback(loop, numbers,
                                                             count))
        const_cast<int64_t *>(numbers)[count] = 1;
    };
}

} // namespace zenith::runtime
