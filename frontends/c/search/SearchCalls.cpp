// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches that a host takes step by step: a session of the program's @init,
// @run and @results, and the state between.

#include "frontends/c/Session.h"
#include "frontends/c/search/SearchState.h"
#include "frontends/models/SearchCheckpoint.h"
#include "ir/LLVMError.h"
#include "ir/tensor/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace zenith;
using namespace zenith::c;

zenith_status *zenith::c::SearchStop::asked() const {
  if (cancel && __atomic_load_n(&cancel->requested, __ATOMIC_RELAXED))
    return failure(ZENITH_RUN_FAILED, ZENITH_REASON_CANCELLED,
                   "the search was cancelled between two steps");
  if (deadline && zenith_now() > deadline)
    return failure(ZENITH_RUN_FAILED, ZENITH_REASON_DEADLINE,
                   "the deadline came between two steps");
  return nullptr;
}

/// The loop of @run tells the size of a layer at each condition. A word more,
/// behind the numbers, ends it.
static void listLayer(void *user, const zenith_profile *event) {
  constexpr int32_t loopProgress = 5;
  auto *search = static_cast<zenith_search *>(user);
  if (event->kind != loopProgress || event->number_count == 0)
    return;
  if (!std::exchange(search->wasTold, false) && event->numbers[0] > 0)
    search->layers.push_back(event->numbers[0]);
  if (search->stepsLeft-- <= 0)
    return;
  if (zenith_status *status = search->stop.asked()) {
    zenith_status_free(status);
    const_cast<int64_t *>(event->numbers)[event->number_count] = 1;
    search->wasEnded = true;
  }
}

zenith_status *zenith_search::run(const char *entry, const ArrayList &inputs,
                                  ArrayList &outputs) {
  zenith_run_options options = {};
  options.struct_size = sizeof(options);
  options.entry = entry;
  if (zenith_status *status = checkState())
    return status;
  if (llvm::StringRef(entry) == "run") {
    options.flags = donates() ? ZENITH_RUN_DONATE : 0;
    wasTold = !layers.empty();
    options.profile = listLayer;
    options.profile_user = this;
  }
  return runEntry(*session, options, inputs, outputs);
}

zenith_status *zenith_search::checkState() const {
  if (!isLost)
    return nullptr;
  return usage(ZENITH_REASON_WRONG_STATE,
               "a step failed that had taken the state over; load a checkpoint "
               "or create the search again");
}

zenith_status *zenith_search::start() {
  ArrayList arguments;
  for (const Tensor &argument : program.arguments())
    if (zenith_status *status =
            arrayOf(*context, argument, arguments.emplace_back()))
      return status;
  const Tensor number(mlir::RankedTensorType::get(
      {}, mlir::IntegerType::get(program.program->mlir.get(), 64)));
  if (zenith_status *status = arrayOf(*context, number, limit))
    return status;
  return run("init", arguments, state);
}

zenith_status *zenith_search::advance(int64_t steps) {
  *static_cast<int64_t *>(limit->data) = stepsLeft = steps;
  wasEnded = false;
  ArrayList outputs;
  state.push_back(limit);
  zenith_status *status = run("run", state, outputs);
  state.pop_back();
  if (status) {
    isLost = donates();
    return status;
  }
  more = *static_cast<const char *>(outputs.front()->data) != 0;
  outputs.erase(outputs.begin());
  state = std::move(outputs);
  return nullptr;
}

size_t zenith_search::carried() const {
  size_t count = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    zenith_value_info info = {};
    info.struct_size = sizeof(info);
    zenith_status *status = zenith_executable_value(
        executable.get(), "run", ZENITH_ROLE_INPUT, i, &info);
    count += !status && llvm::StringRef(info.name).starts_with("carried");
    zenith_status_free(status);
  }
  return count;
}

static zenith_status *isOver() {
  return usage(ZENITH_REASON_WRONG_STATE,
               "the search has come to its end: there is no further step");
}

static zenith_status *compile(zenith_search &search) {
  const SearchSettings &settings = search.program.settings;
  auto module = Ref<zenith_module>::taking(create<zenith_module>(
      *search.context, *search.context, search.program.program));
  ++search.context->modules;
  zenith_compile_options options = {};
  options.struct_size = sizeof(options);
  options.target = settings.compileTarget.c_str();
  options.max_memory = settings.maxMemory;
  zenith_executable *executable = nullptr;
  if (zenith_status *status =
          zenith_compile(module.get(), &options, &executable))
    return status;
  search.executable.reset(executable);
  zenith_session *session = nullptr;
  zenith_status *status = zenith_session_create(executable, nullptr, &session);
  search.session.reset(session);
  return status;
}

zenith_status *zenith_search_create(zenith_context *context, const char *kind,
                                    const char *graph,
                                    const char *const *settings, size_t count,
                                    zenith_search **search) noexcept {
  return guarded([&]() -> zenith_status * {
    if (search)
      *search = nullptr;
    if (!context || !kind || !graph || !search)
      return nullPointer(!context ? "context"
                         : !kind  ? "kind"
                         : graph  ? "search"
                                  : "graph");
    auto made = std::make_unique<zenith_search>(*context);
    if (zenith_status *status =
            buildSearch(kind, graph, settings, count, made->program))
      return status;
    if (zenith_status *status = compile(*made))
      return status;
    if (zenith_status *status = made->start())
      return status;
    *search = made.release();
    return nullptr;
  });
}

zenith_status *zenith_search_run(zenith_search *search, int64_t limit,
                                 zenith_cancel *cancel, int64_t deadline,
                                 int32_t *more) noexcept {
  return guarded([&]() -> zenith_status * {
    if (more)
      *more = 0;
    if (!search)
      return nullPointer("search");
    if (limit < 0)
      return usage(ZENITH_REASON_NONE, "limit: got " + std::to_string(limit) +
                                           ", expected 0 or more steps");
    if (!search->more && limit > 0)
      return isOver();
    search->stop = {cancel, deadline};
    const int64_t part = search->stepsOfPart(limit);
    zenith_status *status = nullptr;
    for (int64_t left = limit; left > 0 && search->more && !status;
         left -= part) {
      status = search->stop.asked();
      if (!status)
        status = search->advance(std::min(part, left));
      if (!status && search->wasEnded)
        status = search->stop.asked();
    }
    search->stop = {};
    if (more)
      *more = search->more;
    return status;
  });
}

zenith_status *zenith_search_step(zenith_search *search, zenith_cancel *cancel,
                                  int32_t *more) noexcept {
  return zenith_search_run(search, 1, cancel, 0, more);
}

zenith_status *zenith_search_save(zenith_search *search,
                                  const char *path) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!search || !path)
      return nullPointer(search ? "path" : "search");
    if (zenith_status *status = search->checkState())
      return status;
    mlir::MLIRContext *types = search->program.program->mlir.get();
    models::SearchCheckpoint checkpoint;
    checkpoint.layers = search->layers;
    for (size_t i = 0; i < search->carried(); ++i)
      checkpoint.state.push_back(tensorOf(*search->state[i], types));
    if (llvm::Error error = models::saveCheckpoint(path, search->program.key,
                                                   checkpoint, types))
      return failure(std::move(error), ZENITH_REASON_NO_FILE);
    return nullptr;
  });
}

zenith_status *zenith_search_load(zenith_search *search,
                                  const char *path) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!search || !path)
      return nullPointer(search ? "path" : "search");
    auto checkpoint = models::loadCheckpoint(
        path, search->program.key, search->program.program->mlir.get());
    if (!checkpoint)
      return failure(checkpoint.takeError(), ZENITH_REASON_MALFORMED);
    if (checkpoint->state.size() != search->carried())
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_MALFORMED,
                     "the checkpoint holds another number of values", path);
    // All or nothing.
    ArrayList state = search->state;
    for (auto [place, tensor] : llvm::enumerate(checkpoint->state))
      if (zenith_status *status =
              arrayOf(*search->context, tensor, state[place]))
        return status;
    search->state = std::move(state);
    search->isLost = false;
    search->layers = std::move(checkpoint->layers);
    search->more = true;
    return nullptr;
  });
}

void zenith_search_free(zenith_search *search) noexcept { delete search; }
