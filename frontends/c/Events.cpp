// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on threads of their own, one each, which hold what they need.

#include "frontends/c/RunCall.h"

#include <csignal>
#include <pthread.h>
#include <thread>

using namespace zenith;
using namespace zenith::c;

void release(zenith_event *event) noexcept;

namespace {
struct Callback {
  void (*done)(void *user);
  void *user;
};
} // namespace

struct zenith_event : Counted {
  explicit zenith_event(zenith_session &session)
      : context(session.context), session(&session),
        inputs(ContextAllocator<Ref<zenith_array>>(context->memory)),
        outputs(ContextAllocator<Ref<zenith_array>>(context->memory)),
        callbacks(ContextAllocator<Callback>(context->memory)) {}
  ~zenith_event() { zenith_status_free(status); }

  /// On the runner's thread.
  void run();

  Ref<zenith_context> context;
  Ref<zenith_session> session;
  RunCall call;
  ContextVector<Ref<zenith_array>> inputs, outputs;

  std::mutex mutex;
  std::condition_variable ended;
  bool isDone = false, isTaken = false;
  bool isCalling = false; ///< the runner's thread is in callbacks
  zenith_status *status = nullptr;
  ContextVector<Callback> callbacks;
};

void release(zenith_event *event) noexcept {
  if (event && drop(*event))
    destroy(event);
}

void zenith_event::run() {
  zenith_status *failed = guarded([&] {
    llvm::SmallVector<zenith_array *, 8> given, results;
    for (const Ref<zenith_array> &input : inputs)
      given.push_back(input.get());
    for (const Ref<zenith_array> &output : outputs)
      results.push_back(output.get());
    zenith_status *failed = call.run(*session, given.data(), results.data());
    for (size_t i = 0; i < results.size() && !failed; ++i)
      if (!outputs[i])
        outputs[i] = Ref<zenith_array>::taking(results[i]);
    return failed;
  });
  std::unique_lock<std::mutex> lock(mutex);
  status = failed;
  isDone = true;
  isCalling = !callbacks.empty();
  ended.notify_all();
  // Nobody adds callbacks to a run that has ended.
  lock.unlock();
  for (const Callback &callback : callbacks)
    callback.done(callback.user);
}

static void *runEvent(void *argument) {
  auto event = Ref<zenith_event>::taking(static_cast<zenith_event *>(argument));
  event->run();
  return nullptr;
}

/// Starts the thread, which gets an owner of its own. Its signals are blocked:
/// handlers are the host's.
static bool start(const Ref<zenith_event> &event) {
  sigset_t all, before;
  pthread_attr_t detached;
  ::sigfillset(&all);
  if (::pthread_attr_init(&detached))
    return false;
  ::pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Ref<zenith_event> own = event;
  pthread_t thread;
  bool started = !::pthread_create(&thread, &detached, runEvent, own.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&detached);
  if (started)
    own.take();
  return started;
}

zenith_status *zenith_run_async(zenith_session *session,
                                const zenith_run_options *options,
                                zenith_array *const *inputs, size_t inputCount,
                                zenith_array *const *outputs,
                                size_t outputCount,
                                zenith_event **event) noexcept {
  return guarded([&]() -> zenith_status * {
    if (event)
      *event = nullptr;
    if (!session || !event)
      return nullPointer(session ? "event" : "session");
    auto made = Ref<zenith_event>::taking(
        create<zenith_event>(*session->context, *session));
    if (zenith_status *status = made->call.check(
            *session, options, inputs, inputCount, outputs, outputCount))
      return status;
    for (size_t i = 0; i < inputCount; ++i)
      made->inputs.emplace_back(inputs[i]);
    for (size_t i = 0; i < outputCount; ++i)
      made->outputs.emplace_back(outputs ? outputs[i] : nullptr);
    if (!start(made))
      return failure(ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION,
                     "the system refuses a thread");
    *event = made.take();
    return nullptr;
  });
}

int32_t zenith_event_done(const zenith_event *event) noexcept {
  if (!event)
    return 1;
  auto *asked = const_cast<zenith_event *>(event);
  std::lock_guard<std::mutex> lock(asked->mutex);
  return asked->isDone;
}

int32_t zenith_event_wait(zenith_event *event, int64_t timeout_ns) noexcept {
  if (!event)
    return 1;
  std::unique_lock<std::mutex> lock(event->mutex);
  auto isDone = [&] { return event->isDone; };
  if (timeout_ns < 0) {
    event->ended.wait(lock, isDone);
    return 1;
  }
  // Longer than any process lives, and no overflow when now is added.
  constexpr int64_t most = INT64_MAX / 4;
  return event->ended.wait_for(
      lock, std::chrono::nanoseconds(std::min(timeout_ns, most)), isDone);
}

zenith_status *zenith_event_take(zenith_event *event, zenith_array **outputs,
                                 size_t outputCount) noexcept {
  return guarded([&]() -> zenith_status * {
    for (size_t i = 0; outputs && i < outputCount; ++i)
      outputs[i] = nullptr;
    if (!event || (outputCount && !outputs))
      return nullPointer(event ? "outputs" : "event");
    if (outputCount != event->outputs.size())
      return usage(ZENITH_REASON_WRONG_COUNT,
                   "got " + std::to_string(outputCount) +
                       " outputs, expected " +
                       std::to_string(event->outputs.size()));
    zenith_event_wait(event, -1);
    std::lock_guard<std::mutex> lock(event->mutex);
    if (event->isTaken)
      return usage(ZENITH_REASON_WRONG_STATE,
                   "the outputs of the run were taken before");
    event->isTaken = true;
    if (event->status)
      return std::exchange(event->status, nullptr);
    for (size_t i = 0; i < outputCount; ++i)
      outputs[i] = event->outputs[i].take();
    return nullptr;
  });
}

zenith_status *zenith_event_then(zenith_event *event, void (*done)(void *user),
                                 void *user) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!event || !done)
      return nullPointer(event ? "done" : "event");
    {
      std::lock_guard<std::mutex> lock(event->mutex);
      if (!event->isDone) {
        event->callbacks.push_back({done, user});
        return nullptr;
      }
    }
    done(user);
    return nullptr;
  });
}

/// The runner's thread lets go of a run that has ended in a moment: then the
/// memory is back when its owner's last handle is.
static void waitForRunner(zenith_event &event) {
  {
    std::lock_guard<std::mutex> lock(event.mutex);
    if (!event.isDone || event.isCalling)
      return;
  }
  while (event.owners.load(std::memory_order_acquire) > 1)
    std::this_thread::yield();
}

void zenith_event_free(zenith_event *event) noexcept {
  if (event)
    waitForRunner(*event);
  release(event);
}
