// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callbacks of the runtime's context. None may throw: compiled code is
// below them.

#include "frontends/c/RunState.h"

#include "runtime/ThreadPool.h"

#include <cstdio>

using namespace zenith;
using namespace zenith::c;

/// Before the bytes of a block of the pool.
struct alignas(64) RunState::PoolBlock {
  PoolBlock *next, *previous;
  size_t bytes; ///< with this header
};

RunState::RunState(zenith_context &context, const zenith_executable &executable)
    : context(context), executable(executable),
      results(ContextAllocator<Block>(context.memory)) {
  size_t most = 0;
  for (const Entry &entry : executable.entries)
    most = std::max(most, entry.outputs.size());
  results.reserve(most);
  fill();
}

RunState::~RunState() {
  end();
  trim();
}

void RunState::trim() {
  arena = Block();
  while (PoolBlock *block = cached) {
    cached = block->next;
    context.memory.free(block, block->bytes, ZENITH_MEMORY_POOL);
  }
}

void RunState::fill() {
  abi.struct_size = sizeof(abi);
  abi.user = this;
  abi.alloc = [](void *user, int64_t bytes, int32_t kind) {
    return static_cast<RunState *>(user)->allocate(bytes, kind);
  };
  abi.free = [](void *user, void *data) {
    static_cast<RunState *>(user)->free(data);
  };
  abi.keep = [](void *user, void *data, int64_t bytes) {
    return int32_t(static_cast<RunState *>(user)->keep(data, bytes));
  };
  abi.arena = [](void *user, int64_t bytes) {
    return static_cast<RunState *>(user)->arenaFor(bytes);
  };
  abi.parallel_for = [](void *user, zenith_task_fn fn, void *const *pointers,
                        const int64_t *sizes, int64_t tasks) {
    static_cast<RunState *>(user)->parallelFor(fn, pointers, sizes, tasks);
  };
  abi.param_done = [](void *user, int64_t index) {
    auto *state = static_cast<RunState *>(user);
    if (state->preparing)
      state->preparing->dropOriginal(size_t(index));
  };
}

/// As one that was never set; its texts have kilobytes.
static void clear(zenith_error &error) {
  error.code = error.reason = 0;
  error.message[0] = error.op_path[0] = 0;
}

void RunState::begin(const zenith_run_options &given, int64_t needed) {
  options = given;
  arenaNeeded = needed;
  arenaUsed = poolLive = peak = flops = bytes = 0;
  clear(abi.error);
  abi.cancel = options.cancel ? &options.cancel->requested : nullptr;
  abi.deadline = options.deadline;
  abi.profile = nullptr;
  abi.progress = nullptr;
  if (options.profile) {
    abi.profile = [](void *user, const zenith_profile_event *event) {
      static_cast<RunState *>(user)->step(*event);
    };
    abi.progress = [](void *user, int64_t loop, const int64_t *numbers,
                      int64_t count) {
      static_cast<RunState *>(user)->progress(loop, numbers, count);
    };
  }
  int threads = options.threads ? std::min(options.threads, context.threads)
                                : context.threads;
  usesHostThreads = context.parallel.parallel_for && threads != 1;
  pool = threads > 1 && !usesHostThreads ? context.pool(threads) : nullptr;
}

void RunState::end() {
  while (live)
    free(live + 1);
  results.clear();
  preparing = nullptr;
}

zenith_status *RunState::error() const {
  const zenith_error &error = abi.error;
  if (error.code == ZENITH_OUT_OF_MEMORY &&
      error.reason != ZENITH_REASON_BUDGET)
    return noMemory();
  return failure(error.code, error.reason, error.message, error.op_path);
}

zenith_status *RunState::prepare(ValueSet &values,
                                 const zenith_run_options &limits) {
  begin(limits, -1);
  preparing = &values;
  int32_t code = executable.program->prepare(&abi, nullptr, 0, nullptr, 0,
                                             values.pointers());
  zenith_status *status = code == ZENITH_OK ? nullptr : error();
  end();
  return status;
}

zenith_status *RunState::run(const Entry &entry,
                             const pipeline::EntryPlan &plan,
                             llvm::ArrayRef<zenith_tensor> arguments,
                             llvm::MutableArrayRef<zenith_tensor> given) {
  if (values->device())
    return runOnDevice(entry, arguments, given);
  int32_t code = executable.interpreted
                     ? interpret(entry, arguments, given)
                     : plan.function(&abi, arguments.data(),
                                     int64_t(arguments.size()), given.data(),
                                     int64_t(given.size()), values->pointers());
  return code == ZENITH_OK && abi.error.code == ZENITH_OK ? nullptr : error();
}

//===- memory
//--------------------------------------------------------------===//

void *RunState::refuse(int64_t wanted, bool overBudget) {
  // Where memory is short, no string has any.
  char text[80];
  std::snprintf(text, sizeof(text), "a buffer of %lld bytes %s",
                static_cast<long long>(wanted),
                overBudget ? "exceeds the budget" : "does not fit in memory");
  zenith_fail_because(&abi, ZENITH_OUT_OF_MEMORY,
                      overBudget ? ZENITH_REASON_BUDGET
                                 : ZENITH_REASON_ALLOCATION,
                      text, nullptr);
  return nullptr;
}

void *RunState::allocate(int64_t wanted, int32_t kind) {
  return kind == ZENITH_ALLOC_RESULT ? allocateResult(wanted)
                                     : allocatePool(wanted);
}

void *RunState::allocatePool(int64_t wanted) {
  if (executable.maxMemory &&
      poolLive + arenaUsed + wanted > executable.maxMemory)
    return refuse(wanted, true);
  size_t total = size_t(wanted) + sizeof(PoolBlock);
  // The smallest block of an earlier run that is not much too large.
  PoolBlock **best = nullptr;
  for (PoolBlock **at = &cached; *at; at = &(*at)->next)
    if ((*at)->bytes >= total && (*at)->bytes / 2 <= total &&
        (!best || (*at)->bytes < (*best)->bytes))
      best = at;
  PoolBlock *block = best ? *best : nullptr;
  if (block) {
    *best = block->next;
  } else {
    bool overBudget = false;
    void *place = context.memory.allocate(total, alignof(PoolBlock),
                                          ZENITH_MEMORY_POOL, &overBudget);
    if (!place)
      return refuse(wanted, overBudget);
    block = new (place) PoolBlock{nullptr, nullptr, total};
  }
  block->previous = nullptr;
  block->next = live;
  if (live)
    live->previous = block;
  live = block;
  poolLive += int64_t(block->bytes);
  peak = std::max(peak, poolLive);
  return block + 1;
}

void *RunState::allocateResult(int64_t wanted) {
  bool overBudget = false;
  Block block(context.memory, size_t(wanted), 64, ZENITH_MEMORY_ARRAY,
              &overBudget);
  if (!block)
    return refuse(wanted, overBudget);
  void *data = block.data();
  try {
    results.push_back(std::move(block));
  } catch (const std::bad_alloc &) {
    return refuse(wanted, false);
  }
  return data;
}

/// Takes a block out of the list of those in use.
void RunState::unlink(PoolBlock &block) {
  (block.previous ? block.previous->next : live) = block.next;
  if (block.next)
    block.next->previous = block.previous;
  poolLive -= int64_t(block.bytes);
}

/// A block of the pool becomes a result as it is, unless a result of its own
/// would be much smaller: the pool gives blocks of up to twice what is asked
/// for. What results take is promised where there is a budget.
bool RunState::keep(void *data, int64_t wanted) {
  constexpr size_t largeBytes = size_t(1) << 20;
  PoolBlock *block = static_cast<PoolBlock *>(data) - 1;
  const size_t total = block->bytes;
  const size_t least = total < largeBytes ? total / 2 : total - total / 4;
  if (executable.maxMemory || context.memory.hasBudget() ||
      size_t(wanted) + sizeof(PoolBlock) < least)
    return false;
  try {
    results.emplace_back(context.memory, block, total, ZENITH_MEMORY_POOL,
                         sizeof(PoolBlock));
  } catch (const std::bad_alloc &) {
    return false;
  }
  unlink(*block);
  return true;
}

void RunState::free(void *data) {
  if (!data || takeBlock(data))
    return;
  PoolBlock *block = static_cast<PoolBlock *>(data) - 1;
  unlink(*block);
  block->next = cached;
  cached = block;
}

Block RunState::takeBlock(void *data) {
  for (Block &block : results)
    if (block && block.data() == data)
      return std::move(block);
  return Block();
}

void *RunState::scratch(int64_t wanted) { return allocatePool(wanted); }

void *RunState::arenaFor(int64_t wanted) {
  arenaUsed = arenaNeeded >= 0 && wanted <= 1 ? arenaNeeded : wanted;
  if (options.arena) {
    if (options.arena_bytes >= arenaUsed)
      return options.arena;
    char text[80];
    std::snprintf(text, sizeof(text),
                  "the arena has %lld bytes, the run needs %lld",
                  static_cast<long long>(options.arena_bytes),
                  static_cast<long long>(arenaUsed));
    zenith_fail_because(&abi, ZENITH_USAGE, ZENITH_REASON_ARENA_TOO_SMALL, text,
                        nullptr);
    return nullptr;
  }
  if (arena.bytes() >= size_t(wanted))
    return arena.data();
  arena = Block();
  bool overBudget = false;
  arena = Block(context.memory, size_t(wanted),
                wanted >= ZENITH_ARENA_ALIGNMENT ? ZENITH_ARENA_ALIGNMENT
                                                 : ZENITH_BUFFER_ALIGNMENT,
                ZENITH_MEMORY_ARENA, &overBudget);
  return arena ? arena.data() : refuse(wanted, overBudget);
}

//===- threads
//-------------------------------------------------------------===//

namespace {
/// A launch that ends early where the run is stopped.
struct Launch {
  zenith_task_fn fn;
  void *const *pointers;
  const int64_t *sizes;
  const zenith_run_context *run;
  std::atomic<bool> isCut{false}; ///< tasks were left out
};
} // namespace

static bool isStopped(const zenith_run_context &run) {
  return (run.cancel && __atomic_load_n(run.cancel, __ATOMIC_RELAXED)) ||
         (run.deadline && zenith_now() >= run.deadline);
}

static bool mayStop(const zenith_run_context &run) {
  return run.cancel || run.deadline;
}

/// Tasks one by one where the run may be stopped: the launch's error follows
/// when it is over.
static void runTasks(Launch &launch, int64_t begin, int64_t end) {
  if (!mayStop(*launch.run))
    return launch.fn(launch.pointers, launch.sizes, begin, end);
  int64_t step = std::max<int64_t>((end - begin) / 16, 1);
  for (int64_t task = begin; task < end; task += step) {
    if (isStopped(*launch.run)) {
      launch.isCut = true;
      return;
    }
    launch.fn(launch.pointers, launch.sizes, task, std::min(end, task + step));
  }
}

/// Tasks on the library's own threads. A claim of the pool is a small part of
/// the launch: none is begun once the run is stopped.
static void runOnPool(runtime::ThreadPool &pool, Launch &launch,
                      int64_t tasks) {
  if (!mayStop(*launch.run) || tasks == 1)
    return pool.parallelFor(launch.fn, launch.pointers, launch.sizes, tasks);
  void *argument = &launch;
  pool.parallelFor(
      [](void *const *argument, const int64_t *, int64_t begin, int64_t end) {
        Launch &launch = *static_cast<Launch *>(*argument);
        if (isStopped(*launch.run))
          launch.isCut = true;
        else
          launch.fn(launch.pointers, launch.sizes, begin, end);
      },
      &argument, launch.sizes, tasks);
}

void RunState::parallelFor(zenith_task_fn fn, void *const *pointers,
                           const int64_t *sizes, int64_t tasks) {
  Launch launch{fn, pointers, sizes, &abi};
  if (pool)
    runOnPool(*pool, launch, tasks);
  else if (!usesHostThreads || tasks == 1)
    runTasks(launch, 0, tasks);
  else
    context.parallel.parallel_for(
        context.parallel.user,
        [](void *argument, int64_t begin, int64_t end) {
          runTasks(*static_cast<Launch *>(argument), begin, end);
        },
        &launch, tasks);
  // A token that is reset in between must not make half a result of it.
  if (launch.isCut && zenith_run_status(&abi) == ZENITH_OK)
    zenith_fail_because(&abi, ZENITH_RUN_FAILED, ZENITH_REASON_CANCELLED,
                        "the run was cancelled", nullptr);
}

//===- profile
//-------------------------------------------------------------===//

void RunState::step(const zenith_profile_event &event) {
  if (event.kind == ZENITH_EVENT_WORK) {
    flops = event.tasks;
    bytes = event.bytes;
    return;
  }
  const std::vector<std::string> &kernels = executable.program->kernels;
  bool isKernel = event.kind == ZENITH_EVENT_KERNEL ||
                  event.kind == ZENITH_EVENT_DEVICE_KERNEL;
  zenith_profile said = {};
  said.struct_size = sizeof(said);
  said.kind = event.kind;
  said.name = isKernel && event.kernel_index >= 0 &&
                      size_t(event.kernel_index) < kernels.size()
                  ? kernels[size_t(event.kernel_index)].c_str()
                  : "?";
  said.begin_ns = event.begin_ns;
  said.ns = event.ns;
  said.tasks = event.tasks;
  said.bytes = isKernel ? bytes : event.bytes;
  said.flops = isKernel ? flops : 0;
  flops = bytes = 0;
  options.profile(options.profile_user, &said);
}

void RunState::progress(int64_t, const int64_t *numbers, int64_t count) {
  zenith_profile said = {};
  said.struct_size = sizeof(said);
  said.kind = 5;
  said.begin_ns = zenith_now();
  said.numbers = numbers;
  said.number_count = size_t(count);
  options.profile(options.profile_user, &said);
}
