// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches of Cayley graphs as programs.

#include "frontends/c/Module.h"

#include "frontends/cayley/BuildBfs.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/SearchStates.h"
#include "frontends/models/Suggestion.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/StringExtras.h"

using namespace zenith;
using namespace zenith::c;

namespace {
/// The settings of a breadth-first search.
struct BfsSettings {
  std::vector<std::string> starts;
  int64_t maxLayers = -1;
};
} // namespace

static zenith_status *read(const char *const *settings, size_t count,
                           BfsSettings &read) {
  static const std::vector<std::string> names{"start", "max-layers"};
  for (size_t i = 0; i < count; ++i) {
    if (!settings || !settings[i])
      return nullPointer("settings");
    auto [name, value] = llvm::StringRef(settings[i]).split('=');
    if (name == "start")
      read.starts.push_back(value.str());
    else if (name != "max-layers")
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "no setting is called '" + name.str() + "'" +
                       models::suggestion(name, names) + "; known are " +
                       llvm::join(names, ", "));
    else if (value.getAsInteger(10, read.maxLayers) || read.maxLayers < 0)
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "max-layers does not take '" + value.str() + "'");
  }
  return nullptr;
}

static zenith_status *load(zenith_context &context, const char *graph,
                           const BfsSettings &settings,
                           zenith_module **module) {
  auto loaded = cayley::loadStateGraph(graph);
  if (!loaded)
    return failure(loaded.takeError(), ZENITH_REASON_MALFORMED);
  auto program = std::make_shared<Program>();
  program->mlir = models::makeContext();
  auto starts =
      models::readStates(settings.starts, *loaded, program->mlir.get());
  if (!starts)
    return failure(starts.takeError());
  cayley::BfsOptions growth;
  growth.starts = std::move(*starts);
  if (growth.starts.empty())
    growth.starts.push_back(loaded->central);
  growth.maxLayers = settings.maxLayers;
  program->module = cayley::buildBfs(*loaded, growth, program->mlir.get());
  program->folder = absoluteFolder("");
  ++context.modules;
  *module = create<zenith_module>(context, context, std::move(program));
  return nullptr;
}

zenith_status *zenith_module_load_search(zenith_context *context,
                                         const char *kind, const char *graph,
                                         const char *const *settings,
                                         size_t count,
                                         zenith_module **module) noexcept {
  return guarded([&]() -> zenith_status * {
    if (module)
      *module = nullptr;
    if (!context || !kind || !graph || !module)
      return nullPointer(!context ? "context"
                         : !kind  ? "kind"
                         : graph  ? "module"
                                  : "graph");
    llvm::StringRef name = kind;
    if (name == "beam" || name == "path" || name == "walks")
      return notYet("zenith_module_load_search of kind '" + name.str() + "'");
    if (name != "bfs")
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "no search is called '" + name.str() +
                       "'; known are bfs, beam, path, walks");
    BfsSettings chosen;
    if (zenith_status *status = read(settings, count, chosen))
      return status;
    return load(*context, graph, chosen, module);
  });
}
