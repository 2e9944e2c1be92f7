// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run at a time needs of memory and threads: the runtime's context
// over the host's hooks, kept from run to run.

#ifndef ZENITH_FRONTENDS_C_RUNSTATE_H
#define ZENITH_FRONTENDS_C_RUNSTATE_H

#include "frontends/c/ValueSet.h"

namespace zenith::c {

class RunState {
public:
  RunState(zenith_context &context, const zenith_executable &executable);
  ~RunState();
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  RunState *next = nullptr; ///< of the free ones of a session

  /// Before a run: its limits, threads and listeners. `arenaNeeded` is -1 where
  /// it is not known.
  void begin(const zenith_run_options &options, int64_t arenaNeeded);
  /// Runs @prepare of the executable on a set that is being made.
  zenith_status *prepare(ValueSet &values, const zenith_run_options &limits);
  /// Runs an entry on tensors of the ABI; results without data get blocks that
  /// takeBlock() hands over.
  zenith_status *run(const Entry &entry,
                     llvm::ArrayRef<zenith_tensor> arguments,
                     llvm::MutableArrayRef<zenith_tensor> results,
                     const ValueSet &values);
  /// After a run: pool blocks are kept for the next one, result blocks that
  /// nobody took go.
  void end();

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
  void *refuse(int64_t bytes, bool overBudget);
  void free(void *data);
  void *arenaFor(int64_t bytes);
  void parallelFor(zenith_task_fn fn, void *const *pointers,
                   const int64_t *sizes, int64_t tasks);
  void step(const zenith_profile_event &event);
  void progress(int64_t loop, const int64_t *numbers, int64_t count);
  int32_t interpret(const Entry &entry, llvm::ArrayRef<zenith_tensor> arguments,
                    llvm::MutableArrayRef<zenith_tensor> results,
                    const ValueSet &values);
  zenith_status *runOnDevice(const Entry &entry,
                             llvm::ArrayRef<zenith_tensor> arguments,
                             llvm::MutableArrayRef<zenith_tensor> results,
                             const ValueSet &values);

  zenith_context &context;
  const zenith_executable &executable;
  zenith_run_context abi = {};
  zenith_run_options options = {};
  std::shared_ptr<runtime::ThreadPool> pool; ///< null: this thread alone
  bool usesHostThreads = false;
  const ValueSet *preparing = nullptr;

  Block arena;
  int64_t arenaUsed = 0, arenaNeeded = -1;
  PoolBlock *live = nullptr, *cached = nullptr;
  int64_t poolLive = 0, peak = 0;
  ContextVector<Block> results;
  int64_t flops = 0, bytes = 0; ///< of the kernel that follows
};

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_RUNSTATE_H
