// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run states of a session. Runs at once take and leave them without a lock,
// each the one that its core used last: all that they write is on cache lines
// of their core.

#include "frontends/c/Session.h"

#include "runtime/CoreAffinity.h"
#include <unistd.h>

using namespace zenith;
using namespace zenith::c;

static size_t coresOfMachine() {
  constexpr long most = 128;
  return size_t(std::clamp(::sysconf(_SC_NPROCESSORS_CONF), 1L, most));
}

zenith_session::zenith_session(zenith_executable &executable)
    : context(executable.context), executable(&executable),
      spare(std::allocate_shared<SpareMemory>(
          ContextAllocator<SpareMemory>(context->memory))),
      lastOnCores(coresOfMachine(),
                  ContextAllocator<LastOnCore>(context->memory)) {}

zenith_session::~zenith_session() {
  spare->close();
  while (RunState *state = states) {
    states = state->next;
    state->~RunState();
    context->memory.free(state, sizeof(RunState), ZENITH_MEMORY_OBJECT);
  }
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

zenith_session::LastOnCore &zenith_session::lastHere() {
  size_t core = size_t(std::max(runtime::currentCore(), 0));
  return lastOnCores[core % lastOnCores.size()];
}

RunState *zenith_session::takeIdle() {
  RunState *last = lastHere().state;
  if (last && last->claim.take())
    return last;
  for (RunState *state = states; state; state = state->next)
    if (state->claim.take())
      return state;
  return nullptr;
}

/// A new one, which is taken.
RunState *zenith_session::makeState() {
  void *place = context->memory.allocate(sizeof(RunState), alignof(RunState),
                                         ZENITH_MEMORY_OBJECT);
  try {
    if (!place)
      return nullptr;
    auto *state = new (place) RunState(*context, *executable);
    state->claim.take();
    state->next = states;
    while (!states.compare_exchange_weak(state->next, state)) {
    }
    return state;
  } catch (const std::bad_alloc &) {
    context->memory.free(place, sizeof(RunState), ZENITH_MEMORY_OBJECT);
    return nullptr;
  }
}

/// Leaves a taken state.
void zenith_session::makeIdle(RunState &state) {
  Ref<zenith_session> own;
  while (int requests = state.claim.leave()) {
    if (requests & StateClaim::Own)
      own = Ref<zenith_session>::taking(this);
    state.values.reset();
  }
}

void zenith_session::trim() {
  spare->drop();
  for (RunState *state = states; state; state = state->next)
    if (state->claim.take()) {
      state->trim();
      makeIdle(*state);
    }
}

void zenith_session::close() {
  for (RunState *state = states; state; state = state->next) {
    owners.fetch_add(1, std::memory_order_relaxed);
    if (!state->claim.request(StateClaim::Own))
      drop(*this); // nobody has the state, and the handle is an owner
  }
  trim();
  release(this);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::shared_ptr<const ValueSet> zenith_session::values() const {
  std::lock_guard<std::mutex> lock(mutex);
  return current;
}

void zenith_session::swap(std::shared_ptr<const ValueSet> set) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    current.swap(set);
    present = current.get();
  }
  // States that are taken from here on, and new ones, see the present values.
  for (RunState *state = states; state; state = state->next)
    while (!state->claim.request(StateClaim::DropValues))
      if (state->claim.take()) {
        state->values.reset();
        makeIdle(*state);
        break;
      }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A run that is counted is an owner: it may begin after close().
zenith_status *zenith_session::waitForTurn(const zenith_cancel *cancel,
                                           int64_t deadline) {
  Ref<zenith_session> own(this);
  std::unique_lock<std::mutex> lock(mutex);
  while (running >= maxConcurrency) {
    // A request to cancel wakes nobody, so that it may come from a signal
    // handler.
    freed.wait_for(lock,
                   std::chrono::milliseconds(cancel || deadline ? 5 : 1000));
    if (zenith_status *status = interruption(cancel, deadline))
      return status;
  }
  ++running;
  own.take();
  return nullptr;
}

void zenith_session::endTurn() {
  auto own = Ref<zenith_session>::taking(this);
  {
    std::lock_guard<std::mutex> lock(mutex);
    --running;
  }
  freed.notify_one();
}

RunState *zenith_session::acquire(const zenith_cancel *cancel, int64_t deadline,
                                  zenith_status *&status) {
  if (maxConcurrency && (status = waitForTurn(cancel, deadline)))
    return nullptr;
  RunState *state = takeIdle();
  if (!state)
    state = makeState();
  if (!state) {
    if (maxConcurrency)
      endTurn();
    status = noMemory();
    return nullptr;
  }
  if (state->values.get() != present)
    state->values = values();
  return state;
}

void zenith_session::giveBack(RunState *state) {
  bool isCounted = maxConcurrency != 0;
  if (LastOnCore &last = lastHere(); last.state != state)
    last.state = state;
  makeIdle(*state);
  if (isCounted)
    endTurn();
}
