// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default run context: thread pool, memory under a budget, cancellation,
// profile.

#ifndef ZENITH_RUNTIME_RUNCONTEXT_H
#define ZENITH_RUNTIME_RUNCONTEXT_H

#include "runtime/ABI.h"
#include "runtime/MemoryPool.h"
#include "runtime/Status.h"
#include "runtime/files/OffloadFile.h"

#include <functional>
#include <memory>
#include <vector>

namespace zenith::runtime {

class ThreadPool;

/// Options of a RunContext.
struct RunOptions {
  int threads = 0;            ///< at most, with the caller's: usefulThreads()
  int64_t maxMemoryBytes = 0; ///< budget for arena and pool together; 0 = none
  SpillOptions spill = {};    ///< where blocks beyond the budget go
  SpillOptions offload = {};  ///< where values wait that a program offloads
};

/// Owns the threads and the memory of a run, and keeps them for the next run.
/// Serves one run at a time; any number of contexts may run at once. cancel()
/// alone may be called from another thread.
class RunContext {
public:
  explicit RunContext(const RunOptions &options = {});
  /// Shares a pool of threads with others.
  RunContext(std::shared_ptr<ThreadPool> pool, int64_t maxMemoryBytes);
  ~RunContext();
  RunContext(const RunContext &) = delete;
  RunContext &operator=(const RunContext &) = delete;

  /// The C context, valid as long as this object. For calls of an entry that
  /// don't go through run().
  zenith_run_context *abi() { return &context; }

  /// Calls an entry: clears the error, starts the peak anew, and afterwards
  /// takes back what the run left in the pool and forgets a cancellation.
  /// Results that the entry allocated belong to the caller (release()), also
  /// after an error.
  Status run(zenith_entry_fn entry, const std::vector<zenith_tensor> &args,
             std::vector<zenith_tensor> &results, void *const *params);

  /// Frees what an entry allocated for a result, and clears it.
  void release(zenith_tensor &result);

  /// Makes the run in progress, or the next one, end with ZENITH_RUN_FAILED at
  /// its next kernel.
  void cancel();

  /// Called after each kernel and copy; empty = none. With a profile, device
  /// launches wait for their end.
  void setProfile(std::function<void(const zenith_profile_event &)> profile);

  /// Called when a loop of the entry comes to its condition, with its number
  /// and the integer scalars that it carries; false ends the loop there, as if
  /// its condition did not hold. Empty = nothing.
  void setProgress(
      std::function<bool(int64_t loop, const int64_t *numbers, int64_t count)>
          progress);

  /// Called when @prepare will not read a parameter again; empty = nothing.
  void setParameterDone(std::function<void(int64_t index)> done);

  /// Device for programs that have kernels on one; null = none. Not owned; must
  /// outlive the runs.
  void setDevice(const zenith_device *device) { context.device = device; }

  /// Bytes of arena and pool; peakBytes is that of the last run.
  MemoryUse memoryUse() const { return memory.use(); }

  /// Gives memory that no result occupies back to the system.
  void trimMemory() { memory.trim(true); }

  ThreadPool &threadPool() { return *pool; }

private:
  void fillContext();
  void *allocate(int64_t bytes, int32_t kind);
  void *extend(void *data, int64_t bytes);
  void *arena(int64_t bytes);
  void *given(const StatusOr<void *> &data);

  zenith_run_context context = {};
  MemoryPool memory;
  OffloadFile file;
  std::shared_ptr<ThreadPool> pool;
  int32_t cancelFlag = 0;
  std::function<void(const zenith_profile_event &)> profileCallback;
  std::function<void(int64_t)> parameterDone;
  std::function<bool(int64_t, const int64_t *, int64_t)> progressCallback;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_RUNCONTEXT_H
