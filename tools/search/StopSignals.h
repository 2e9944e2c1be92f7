// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C and SIGTERM as a request that a search ends with what it has.

#ifndef ZENITH_TOOLS_SEARCH_STOPSIGNALS_H
#define ZENITH_TOOLS_SEARCH_STOPSIGNALS_H

#include <atomic>
#include <functional>
#include <thread>

namespace zenith::tools {

/// While it lives, SIGINT and SIGTERM end no process: they are blocked in the
/// thread that made it and in threads that start later, and a thread of its own
/// waits for them.
class StopSignals {
public:
  /// `urge` is called, from that thread, where the process goes on for 0.4 s
  /// after the first signal, and at each further signal.
  explicit StopSignals(std::function<void()> urge);
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// A signal has come.
  bool requested() const { return count.load() > 0; }
  /// Layers may take their time to become whole after the first signal.
  void waitForWhole(bool waits) { isPatient = waits; }

private:
  void listen();

  std::function<void()> urge;
  std::atomic<int> count{0};
  std::atomic<bool> isOver{false}, isPatient{false};
  std::thread thread;
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_STOPSIGNALS_H
