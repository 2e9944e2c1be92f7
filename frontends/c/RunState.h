// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run at a time needs of memory and threads: the runtime's context
// over the host's hooks, kept from run to run.

#ifndef ZENITH_FRONTENDS_C_RUNSTATE_H
#define ZENITH_FRONTENDS_C_RUNSTATE_H

#include "frontends/c/ValueSet.h"

namespace zenith::c {

/// Whether a run state is taken, and what others ask of who took it.
class StateClaim {
public:
  /// To forget the values of the run, and to release an owner of the session.
  enum Request { DropValues = 2, Own = 4 };

  /// False where it is taken.
  bool take() {
    int idle = 0;
    return word.compare_exchange_strong(idle, taken);
  }
  /// 0 where it is idle now: then it may be another thread's, or gone. Else the
  /// requests so far, and it is still taken.
  int leave() {
    int seen = taken;
    if (word.compare_exchange_strong(seen, 0))
      return 0;
    return word.exchange(taken) & ~taken;
  }
  /// False where it is idle.
  bool request(Request what) {
    int seen = word;
    while (seen && !word.compare_exchange_weak(seen, seen | what)) {
    }
    return seen != 0;
  }

private:
  static constexpr int taken = 1;
  std::atomic<int> word{0};
};

class alignas(64) RunState {
public:
  RunState(zenith_context &context, const zenith_executable &executable);
  ~RunState();
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  // Of the session that has this state.
  RunState *next = nullptr;
  StateClaim claim;
  /// Those that the run reads; kept for the next one while they are present.
  std::shared_ptr<const ValueSet> values;

  /// Before a run: its limits, threads and listeners. `arenaNeeded` is -1 where
  /// it is not known.
  void begin(const zenith_run_options &options, int64_t arenaNeeded);
  /// Runs @prepare of the executable on a set that is being made.
  zenith_status *prepare(ValueSet &values, const zenith_run_options &limits);
  /// Runs an entry on tensors of the ABI; results without data get blocks that
  /// takeBlock() hands over.
  zenith_status *run(const Entry &entry, const pipeline::EntryPlan &plan,
                     llvm::ArrayRef<zenith_tensor> arguments,
                     llvm::MutableArrayRef<zenith_tensor> results);
  /// After a run: pool blocks are kept for the next one, result blocks that
  /// nobody took go.
  void end();
  /// Gives back the memory that is kept for the next run.
  void trim();

  /// A block of the pool for a packed copy; null after recording an error.
  void *scratch(int64_t bytes);
  /// The result block at `data`; empty where there is none.
  Block takeBlock(void *data);
  /// The first error of the run as a status.
  zenith_status *error() const;

  int64_t arenaBytes() const { return arenaUsed; }
  int64_t poolPeak() const { return peak; }

private:
  struct PoolBlock;
  void fill();
  void *allocate(int64_t bytes, int32_t kind);
  void *allocatePool(int64_t bytes);
  void *allocateResult(int64_t bytes);
  bool keep(void *data, int64_t bytes);
  void unlink(PoolBlock &block);
  void *refuse(int64_t bytes, bool overBudget);
  void free(void *data);
  void *arenaFor(int64_t bytes);
  void parallelFor(zenith_task_fn fn, void *const *pointers,
                   const int64_t *sizes, int64_t tasks);
  void step(const zenith_profile_event &event);
  void progress(int64_t loop, const int64_t *numbers, int64_t count);
  int32_t interpret(const Entry &entry, llvm::ArrayRef<zenith_tensor> arguments,
                    llvm::MutableArrayRef<zenith_tensor> results);
  zenith_status *runOnDevice(const Entry &entry,
                             llvm::ArrayRef<zenith_tensor> arguments,
                             llvm::MutableArrayRef<zenith_tensor> results);

  zenith_context &context;
  const zenith_executable &executable;
  zenith_run_context abi = {};
  zenith_run_options options = {};
  std::shared_ptr<runtime::ThreadPool> pool; ///< null: this thread alone
  bool usesHostThreads = false;
  ValueSet *preparing = nullptr;

  Block arena;
  int64_t arenaUsed = 0, arenaNeeded = -1;
  PoolBlock *live = nullptr, *cached = nullptr;
  int64_t poolLive = 0, peak = 0;
  ContextVector<Block> results;
  int64_t flops = 0, bytes = 0; ///< of the kernel that follows
};

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_RUNSTATE_H
