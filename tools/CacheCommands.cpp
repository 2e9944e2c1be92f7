// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-cache and its four commands.

#include "tools/CacheCommands.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/LoadModel.h"
#include "lowering/pipeline/CachedCompile.h"
#include "lowering/pipeline/ModuleKey.h"
#include "lowering/pipeline/TargetChoice.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/DeriveModel.h"
#include "tools/model/OptionEffects.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::tools;
namespace json = llvm::json;

static void addCacheOptions(CLI::App &app, ToolSet tool, CacheOptions &given) {
#define ZENITH_CACHE_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
  addOptions(app, tool, given.run);
}

/// True where explain is asked about a model, not about an entry.
static bool namesModel(const CacheOptions &options) {
  return llvm::sys::fs::exists(options.subject);
}

llvm::Expected<std::optional<CacheOptions>>
zenith::tools::parseCacheOptions(int argc, char **argv, CommonOptions &common) {
  CLI::App app("Looks after a cache of compiled programs.", "zenith-cache");
  CacheOptions cache;
  const CLI::App *given = nullptr;
  ToolSet tool;
  struct Command {
    CacheOptions::Command command;
    ToolSet tool;
    const char *name, *help;
  };
  const Command commands[] = {
      {CacheOptions::List, options::CacheList, "ls", "lists the entries"},
      {CacheOptions::Verify, options::CacheVerify, "verify",
       "checks every entry; exit 2 where one is damaged"},
      {CacheOptions::Collect, options::CacheCollect, "gc",
       "drops damaged entries, and the oldest down to a size"},
      {CacheOptions::Explain, options::CacheExplain, "explain",
       "says what an entry was made from, or in which part of the key a model "
       "differs from the nearest entry"}};
  for (const Command &command : commands) {
    CLI::App *sub = app.add_subcommand(command.name, command.help);
    addCacheOptions(*sub, command.tool, cache);
    sub->callback([&, sub, command] {
      cache.command = command.command;
      tool = command.tool;
      given = sub;
    });
  }
  app.require_subcommand(1);
  return finishCommandLine(app, options::Cache, argc, argv, common, cache,
                           [&](const CacheOptions &parsed) {
                             Fact onModel(options::Condition::ExplainsModel,
                                          namesModel(parsed));
                             return checkEffects(*given, tool, onModel);
                           });
}

static json::Object partsObject(const pipeline::CacheKey &key) {
  json::Object parts;
  for (const auto &[name, text] : key.parts)
    parts[name] = text;
  return parts;
}

static json::Object entryObject(const pipeline::CacheEntry &entry) {
  return json::Object{{"id", entry.id},
                      {"bytes", entry.bytes},
                      {"last_used", entry.lastUsed},
                      {"parts", partsObject(entry.key)}};
}

static std::string timeText(int64_t seconds) {
  return llvm::formatv("{0:%Y-%m-%d %H:%M}",
                       llvm::sys::TimePoint<>(std::chrono::seconds(seconds)));
}

static void listEntries(const pipeline::CacheStore &store, bool asJSON) {
  json::Array array;
  for (const pipeline::CacheEntry &entry : store.list()) {
    array.push_back(entryObject(entry));
    if (asJSON)
      continue;
    std::vector<std::string> functions;
    for (const auto &[name, text] : entry.key.parts)
      if (llvm::StringRef rest = name; rest.consume_front("function "))
        functions.push_back(rest.str());
    llvm::outs() << entry.id.substr(0, 12) << "  "
                 << llvm::right_justify(std::to_string(entry.bytes), 10) << "  "
                 << timeText(entry.lastUsed) << "  "
                 << llvm::join(functions, " ") << "\n";
  }
  if (asJSON)
    llvm::outs() << json::Value(std::move(array)) << "\n";
}

static llvm::Error verifyEntries(const pipeline::CacheStore &store,
                                 bool asJSON) {
  std::vector<pipeline::DamagedEntry> damaged = store.verify();
  size_t sound = store.list().size();
  json::Array array;
  for (const pipeline::DamagedEntry &entry : damaged) {
    array.push_back(
        json::Object{{"file", entry.path}, {"reason", entry.reason}});
    if (!asJSON)
      llvm::outs() << entry.path << ": " << entry.reason << "\n";
  }
  if (asJSON)
    llvm::outs() << json::Value(std::move(array)) << "\n";
  else if (damaged.empty())
    llvm::outs() << sound << " entries are sound\n";
  if (damaged.empty())
    return llvm::Error::success();
  return makeError(ErrorCode::Invalid,
                   std::to_string(damaged.size()) + " entries are damaged",
                   store.folder());
}

static void printParts(const pipeline::CacheKey &key) {
  for (const auto &[name, text] : key.parts)
    llvm::outs() << "  " << name << ": " << text << "\n";
}

static void printEntry(const pipeline::CacheEntry &entry, bool asJSON) {
  if (asJSON) {
    llvm::outs() << json::Value(entryObject(entry)) << "\n";
    return;
  }
  llvm::outs() << "entry " << entry.id << "\n";
  printParts(entry.key);
}

/// The key that zenith-run would look for.
static llvm::Expected<pipeline::CacheKey>
keyOfModel(const CacheOptions &options, Diagnostics &diagnostics) {
  auto context = makeContext();
  LoadOptions load;
  load.dims = options.run.dims.sizes;
  load.dimBounds = options.run.dims.bounds;
  load.entry = options.run.entry;
  llvm::Expected<LoadedModel> model =
      loadModel(options.subject, context.get(), load, diagnostics);
  if (!model)
    return model.takeError();
  if (auto entry = deriveModel(*model, options.run.transforms,
                               options.run.entry, diagnostics);
      !entry)
    return entry.takeError();
  llvm::Expected<pipeline::TargetChoice> target =
      pipeline::chooseTargetToRun(options.run.compile);
  if (!target)
    return target.takeError();
  return pipeline::keyOf(*model->module,
                         compileOptions(options.run, diagnostics), *target);
}

static llvm::Error explainSubject(const pipeline::CacheStore &store,
                                  const CacheOptions &options,
                                  Diagnostics &diagnostics) {
  std::vector<pipeline::CacheEntry> entries = store.list();
  if (!namesModel(options)) {
    for (const pipeline::CacheEntry &entry : entries)
      if (llvm::StringRef(entry.id).starts_with(options.subject)) {
        printEntry(entry, options.json);
        return llvm::Error::success();
      }
    return makeError(ErrorCode::Invalid,
                     "there is no such model and no such entry",
                     options.subject);
  }
  llvm::Expected<pipeline::CacheKey> key = keyOfModel(options, diagnostics);
  if (!key)
    return key.takeError();
  std::string id = key->id();
  bool found = llvm::any_of(entries, [&](const pipeline::CacheEntry &entry) {
    return entry.id == id;
  });
  std::string verdict = found ? "it is in the cache"
                              : "it is not in the cache; " +
                                    pipeline::explainDifference(*key, entries);
  if (options.json) {
    llvm::outs() << json::Value(json::Object{{"id", id},
                                             {"found", found},
                                             {"explanation", verdict},
                                             {"parts", partsObject(*key)}})
                 << "\n";
    return llvm::Error::success();
  }
  llvm::outs() << "entry " << id.substr(0, 12) << ": " << verdict << "\n";
  printParts(*key);
  return llvm::Error::success();
}

static llvm::Error execute(const CacheOptions &options,
                           Diagnostics &diagnostics) {
  auto store = pipeline::CacheStore::open(options.folder == defaultCache
                                              ? pipeline::defaultCacheFolder()
                                              : options.folder);
  if (!store)
    return store.takeError();
  switch (options.command) {
  case CacheOptions::List:
    listEntries(*store, options.json);
    return llvm::Error::success();
  case CacheOptions::Verify:
    return verifyEntries(*store, options.json);
  case CacheOptions::Collect: {
    int64_t freed = store->collect(
        options.maxBytes.value_or(pipeline::CacheStore::defaultMaxBytes));
    if (options.json)
      llvm::outs() << json::Value(json::Object{{"freed_bytes", freed}}) << "\n";
    else
      llvm::outs() << "freed " << freed << " bytes\n";
    return llvm::Error::success();
  }
  case CacheOptions::Explain:
    return explainSubject(*store, options, diagnostics);
  }
  return llvm::Error::success();
}

int zenith::tools::runCacheCommand(const CacheOptions &options,
                                   Diagnostics &diagnostics) {
  return diagnostics.report(execute(options, diagnostics));
}
