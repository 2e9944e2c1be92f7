// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that takes the signals, so that no code runs inside of a handler.

#include "tools/search/StopSignals.h"

#include <csignal>
#include <ctime>

using namespace zenith::tools;

static sigset_t stopSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

StopSignals::StopSignals(std::function<void()> urge) : urge(std::move(urge)) {
  sigset_t set = stopSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread = std::thread([this] { listen(); });
}

StopSignals::~StopSignals() {
  isOver = true;
  thread.join();
  sigset_t set = stopSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void StopSignals::listen() {
  constexpr long tick = 20'000'000; // ns, so that the process ends at once
  constexpr int patience = 20;      // ticks for a layer to become whole
  sigset_t set = stopSet();
  for (int since = 0; !isOver;) {
    timespec wait{0, tick};
    if (sigtimedwait(&set, nullptr, &wait) > 0) {
      if (++count > 1)
        urge();
    } else if (count == 1 && !isPatient && ++since == patience) {
      urge();
    }
  }
}
