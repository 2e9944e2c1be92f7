// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host's search holds between two steps.

#ifndef ZENITH_FRONTENDS_C_SEARCH_SEARCHSTATE_H
#define ZENITH_FRONTENDS_C_SEARCH_SEARCHSTATE_H

#include "frontends/c/Array.h"
#include "frontends/c/search/SearchProgram.h"

namespace zenith::c {

struct SessionFree {
  void operator()(zenith_session *session) const {
    zenith_session_free(session);
  }
};
struct ExecutableFree {
  void operator()(zenith_executable *executable) const {
    zenith_executable_free(executable);
  }
};

/// What ends a search between two steps.
struct SearchStop {
  const zenith_cancel *cancel = nullptr;
  int64_t deadline = 0;

  /// Null where nothing does.
  zenith_status *asked() const;
};

} // namespace zenith::c

struct zenith_search {
  explicit zenith_search(zenith_context &context) : context(&context) {}

  zenith::c::Ref<zenith_context> context;
  zenith::c::SearchProgram program;
  std::unique_ptr<zenith_executable, zenith::c::ExecutableFree> executable;
  std::unique_ptr<zenith_session, zenith::c::SessionFree> session;
  zenith::c::ArrayList state;
  zenith::c::Ref<zenith_array> limit; ///< of steps, the last argument of @run
  std::vector<int64_t> layers;        ///< sizes, each of a whole layer
  bool more = true;
  bool wasTold = false; ///< the next size is that of a layer that is listed
  bool isLost = false;  ///< a step failed that had taken the state over
  zenith::c::SearchStop stop; ///< of the call in progress
  int64_t stepsLeft = 0;      ///< of the run in progress
  bool wasEnded = false;      ///< by `stop`, before its last step

  /// Runs @init.
  zenith_status *start();
  /// At most so many steps, by one call of @run.
  zenith_status *advance(int64_t steps);
  /// How many of `limit` steps one run takes: all, which `stop` may end; one
  /// where a step that fails must leave the layer before it, or where nothing
  /// is told between steps.
  int64_t stepsOfPart(int64_t limit) const {
    return donates() && !program.isInterpreted() ? std::max<int64_t>(1, limit)
                                                 : 1;
  }
  zenith_status *results(zenith::c::ArrayList &outputs) {
    return run("results", state, outputs);
  }
  /// How many values of the state steps change; what follows are arguments.
  size_t carried() const;

  /// Null while there is a state.
  zenith_status *checkState() const;

private:
  /// Steps take the state over, so that they allocate nothing for what stays as
  /// large; within a bound of memory, which a step may exceed, they leave it.
  bool donates() const { return program.settings.maxMemory == 0; }
  zenith_status *run(const char *entry, const zenith::c::ArrayList &inputs,
                     zenith::c::ArrayList &outputs);
};

#endif // ZENITH_FRONTENDS_C_SEARCH_SEARCHSTATE_H
