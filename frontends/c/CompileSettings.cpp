// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of CompileOptions.def that compiling tools take, as settings.

#include "frontends/c/CompileSettings.h"

#include "frontends/models/Suggestion.h"
#include "frontends/models/TargetNames.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/OptionText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::c;
using namespace zenith::options;

/// Rows that a library takes: dumps and phases are for the compiler's authors.
static bool isSetting(const OptionRow &row) {
  return row.cache != CacheUse::SkipsCache &&
         (row.tools.takes(Run) || row.tools.takes(Compile) ||
          row.tools.takes(Search)) &&
         row.name() != "to";
}

static std::vector<std::string> settingNames() {
  std::vector<std::string> names;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (OptionRow row{spelling, unit, tools, CacheUse::cache, help};             \
      isSetting(row))                                                          \
    names.push_back(row.name().str());
#include "lowering/pipeline/CompileOptions.def"
  return names;
}

static zenith_status *badValue(llvm::StringRef name, llvm::StringRef value) {
  return usage(ZENITH_REASON_UNKNOWN_NAME,
               name.str() + " does not take '" + value.str() + "'");
}

static zenith_status *set(llvm::StringRef name, llvm::StringRef value,
                          pipeline::CompileOptions &options) {
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (OptionRow row{spelling, unit, tools, CacheUse::cache, help};             \
      isSetting(row) && row.name() == name)                                    \
    return parseOption(value, unit, options.field) ? nullptr                   \
                                                   : badValue(name, value);
#include "lowering/pipeline/CompileOptions.def"
  std::vector<std::string> names = settingNames();
  return usage(ZENITH_REASON_UNKNOWN_NAME,
               "no setting is called '" + name.str() + "'" +
                   models::suggestion(name, names) + "; known are " +
                   llvm::join(names, ", "));
}

zenith_status *
zenith::c::readCompileOptions(const zenith_context &context,
                              const zenith_compile_options &given,
                              pipeline::CompileOptions &options) {
  if (zenith_status *status = checkMaxMemory(given.max_memory))
    return status;
  if (given.threads < 0)
    return usage(ZENITH_REASON_NONE, "threads: got " +
                                         std::to_string(given.threads) +
                                         ", expected at least 0");
  options.cacheDir = context.cacheDir;
  options.explain = given.explain != 0;
  options.compileThreads =
      unsigned(given.threads ? given.threads : context.threads);
  for (size_t i = 0; i < given.setting_count; ++i) {
    if (!given.settings || !given.settings[i])
      return nullPointer("settings");
    auto [name, value] = llvm::StringRef(given.settings[i]).split('=');
    // One sharding each: commas are between its dimensions.
    if (name == "shard") {
      options.shards.push_back(value.str());
      continue;
    }
    if (zenith_status *status = set(name, value, options))
      return status;
  }
  if (given.target)
    options.target = given.target;
  if (!models::isTarget(options.target))
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "'" + options.target +
                     "' is no target; known are cpu, cpu:ARCH, opencl, "
                     "opencl:N and interp");
  if (given.mixed_precision)
    if (zenith_status *status =
            set("mixed-precision", given.mixed_precision, options))
      return status;
  pipeline::budgetSearches(options,
                           given.max_memory
                               ? std::optional<int64_t>(given.max_memory)
                               : std::nullopt,
                           /*spills=*/false);
  return nullptr;
}

/// The kind of value that a setting takes.
template <typename T> static const char *kindOf(const T &) {
  return std::is_same_v<T, bool>          ? "flag"
         : std::is_arithmetic_v<T>        ? "integer"
         : std::is_enum_v<T>              ? "word"
         : std::is_same_v<T, std::string> ? "text"
                                          : "words";
}

std::string zenith::c::settingsJSON() {
  llvm::json::Array rows;
  const pipeline::CompileOptions none;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (OptionRow row{spelling, unit, tools, CacheUse::cache, help};             \
      isSetting(row))                                                          \
    rows.push_back(llvm::json::Object{{"name", row.name()},                    \
                                      {"type", kindOf(none.field)},            \
                                      {"default", optionText(none.field)},     \
                                      {"help", help}});
#include "lowering/pipeline/CompileOptions.def"
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(rows));
  return text;
}
