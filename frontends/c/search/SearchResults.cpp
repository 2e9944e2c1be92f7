// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host asks of a search: states, counts, a path.

#include "frontends/c/search/SearchState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace zenith;
using namespace zenith::c;

static std::vector<int64_t> integersOf(const zenith_array &array) {
  const auto *numbers = static_cast<const int64_t *>(array.data);
  return {numbers, numbers + zenith_array_bytes(&array) / 8};
}

zenith_status *zenith_search_layer(zenith_search *search,
                                   zenith_array **array) noexcept {
  return guarded([&]() -> zenith_status * {
    if (array)
      *array = nullptr;
    if (!search || !array)
      return nullPointer(search ? "array" : "search");
    ArrayList results;
    if (zenith_status *status = search->results(results))
      return status;
    *array = zenith_array_retain(results.back().get());
    return nullptr;
  });
}

static zenith_status *giveJSON(llvm::json::Object object, zenith_blob **json) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return makeBlob(text, json);
}

/// The generators that were found, in order; nothing where none were.
static zenith_status *pathOf(zenith_search &search, bool &found,
                             llvm::json::Array &names) {
  ArrayList results;
  if (zenith_status *status = search.results(results))
    return status;
  found = *static_cast<const char *>(results[0]->data) != 0;
  std::vector<int64_t> path = integersOf(*results[1]);
  if (search.program.kind == SearchKind::Beam)
    std::reverse(path.begin(), path.end());
  const std::vector<std::string> &generators =
      search.program.graph.generatorNames;
  for (int64_t number : path)
    if (number >= 0 && number < int64_t(generators.size()))
      names.push_back(generators[size_t(number)]);
  return nullptr;
}

/// The sizes of layers as results have them.
static std::vector<int64_t> sizesOf(SearchKind kind, const ArrayList &results) {
  std::vector<int64_t> sizes =
      integersOf(*results[kind == SearchKind::Bfs ? 0 : 2]);
  if (kind == SearchKind::Path)
    llvm::append_range(sizes, integersOf(*results[3]));
  return sizes;
}

zenith_status *zenith_search_report(zenith_search *search,
                                    zenith_blob **json) noexcept {
  return guarded([&]() -> zenith_status * {
    if (json)
      *json = nullptr;
    if (!search || !json)
      return nullPointer(search ? "json" : "search");
    const SearchProgram &program = search->program;
    std::vector<int64_t> layers = search->layers;
    if (program.isInterpreted()) {
      ArrayList results;
      if (zenith_status *status = search->results(results))
        return status;
      layers = sizesOf(program.kind, results);
    }
    llvm::json::Object report{
        {"graph", program.graph.name},
        {"generators", llvm::json::Array(program.graph.generatorNames)},
        {"layers", llvm::json::Array(layers)},
        {"states", std::accumulate(layers.begin(), layers.end(), int64_t(0))},
        {"more", search->more}};
    if (program.kind == SearchKind::Bfs) {
      // A search that its limit did not end has come to an empty layer.
      int64_t limit = program.settings.limit;
      bool isComplete =
          !search->more && (limit < 0 || int64_t(layers.size()) <= limit);
      report["complete"] = isComplete;
      report["diameter"] = isComplete
                               ? llvm::json::Value(int64_t(layers.size()) - 1)
                               : llvm::json::Value(nullptr);
    } else {
      bool found = false;
      llvm::json::Array path;
      if (zenith_status *status = pathOf(*search, found, path))
        return status;
      report["found"] = found;
      report["path_length"] = found ? int64_t(path.size()) : int64_t(-1);
    }
    return giveJSON(std::move(report), json);
  });
}

zenith_status *zenith_search_path(zenith_search *search,
                                  zenith_blob **json) noexcept {
  return guarded([&]() -> zenith_status * {
    if (json)
      *json = nullptr;
    if (!search || !json)
      return nullPointer(search ? "json" : "search");
    if (search->program.kind == SearchKind::Bfs)
      return usage(ZENITH_REASON_WRONG_STATE,
                   "a breadth-first search looks for no path");
    bool found = false;
    llvm::json::Array path;
    if (zenith_status *status = pathOf(*search, found, path))
      return status;
    llvm::json::Object object{{"found", found}};
    object["path"] =
        found ? llvm::json::Value(std::move(path)) : llvm::json::Value(nullptr);
    return giveJSON(std::move(object), json);
  });
}
