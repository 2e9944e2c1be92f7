// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contexts and executables know, as JSON by topic.

#include "frontends/c/CompileSettings.h"
#include "frontends/c/Executable.h"
#include "frontends/c/builder/BuilderOps.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/TargetNames.h"
#include "runtime/ABI.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::c;
namespace json = llvm::json;

static std::string textOf(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===- of a context
//--------------------------------------------------------===//

static std::string versionJSON(const zenith_context &) {
  return textOf(
      json::Object{{"version", "0.1.0"},
                   {"api", std::to_string(ZENITH_VERSION_MAJOR) + "." +
                               std::to_string(ZENITH_VERSION_MINOR)},
                   {"abi", ZENITH_ABI_VERSION},
                   {"llvm", LLVM_VERSION_STRING}});
}

static std::string targetsJSON(const zenith_context &) {
  json::Array rows;
  for (const auto &[name, description] : models::targetsHere())
    rows.push_back(json::Object{{"name", name},
                                {"description", json::fixUTF8(description)}});
  return textOf(std::move(rows));
}

static std::string formatsJSON(const zenith_context &) {
  json::Array rows;
  for (const std::string &word : options::wordsOf<models::FileFormat>())
    rows.push_back(
        json::Object{{"name", word}, {"read", true}, {"write", true}});
  return textOf(std::move(rows));
}

static std::string memoryJSON(const zenith_context &context) {
  static constexpr const char *kinds[] = {"object", "parameters", "arena",
                                          "pool", "array"};
  json::Object rows;
  for (int kind = 0; kind < Memory::kinds; ++kind)
    rows[kinds[kind]] = json::Object{{"live", context.memory.live(kind)},
                                     {"peak", context.memory.peak(kind)}};
  return textOf(std::move(rows));
}

static std::string countersJSON(const zenith_context &context) {
  return textOf(json::Object{{"modules", context.modules.load()},
                             {"compilations", context.compilations.load()},
                             {"cache_hits", context.cacheHits.load()},
                             {"runs", context.runs.load()}});
}

/// Rows of topics; the message about an unknown one lists them.
template <typename Asked> struct Topic {
  const char *name;
  std::string (*json)(const Asked &);
};

template <typename Asked>
static zenith_status *report(const Asked &asked, const char *topic,
                             llvm::ArrayRef<Topic<Asked>> topics,
                             zenith_blob **blob) {
  std::string known;
  for (const Topic<Asked> &row : topics) {
    if (llvm::StringRef(topic) == row.name)
      return makeBlob(row.json(asked), blob);
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return usage(ZENITH_REASON_UNKNOWN_NAME, "no report is called '" +
                                               std::string(topic) +
                                               "'; known are " + known);
}

zenith_status *zenith_context_report(zenith_context *context, const char *topic,
                                     zenith_blob **blob) noexcept {
  static constexpr Topic<zenith_context> topics[] = {
      {"version", versionJSON},
      {"targets", targetsJSON},
      {"settings", [](const zenith_context &) { return settingsJSON(); }},
      {"formats", formatsJSON},
      {"ops", [](const zenith_context &) { return opsJSON(); }},
      {"kernels", [](const zenith_context &) { return std::string("[]"); }},
      {"memory", memoryJSON},
      {"counters", countersJSON}};
  return guarded([&]() -> zenith_status * {
    if (blob)
      *blob = nullptr;
    if (!context || !topic || !blob)
      return nullPointer(!context ? "context" : topic ? "json" : "topic");
    return report<zenith_context>(*context, topic, topics, blob);
  });
}

//===- of an executable
//----------------------------------------------------===//

static json::Array valuesJSON(const std::vector<Value> &values, bool isInput) {
  json::Array rows;
  for (const Value &value : values) {
    json::Array dims;
    for (const std::string &text : value.texts)
      dims.push_back(json::fixUTF8(text));
    json::Object row{{"name", json::fixUTF8(value.name)},
                     {"dtype", zenith_dtype_name(value.dtype)},
                     {"dims", std::move(dims)}};
    if (isInput)
      row["donatable"] = value.isDonatable;
    rows.push_back(std::move(row));
  }
  return rows;
}

static std::string signatureJSON(const zenith_executable &executable) {
  json::Array entries;
  for (const Entry &entry : executable.entries)
    entries.push_back(
        json::Object{{"name", entry.info->name},
                     {"inputs", valuesJSON(entry.inputs, true)},
                     {"outputs", valuesJSON(entry.outputs, false)},
                     {"arena", entry.info->memory.arena().str()}});
  return textOf(
      json::Object{{"entries", std::move(entries)},
                   {"parameters", valuesJSON(executable.parameters, false)}});
}

/// The reports of all entries, each as --report=memory prints it.
static std::string executableMemoryJSON(const zenith_executable &executable) {
  std::string text;
  for (const Entry &entry : executable.entries)
    text += (text.empty() ? "" : ",") +
            memory::toJSON(
                entry.info->memory,
                [](const std::string &) { return std::optional<int64_t>(); },
                {std::nullopt, executable.maxMemory
                                   ? std::optional(executable.maxMemory)
                                   : std::nullopt});
  return executable.entries.size() == 1 ? text : "[" + text + "]";
}

static std::string remarksJSON(const zenith_executable &executable) {
  return "[" + llvm::join(executable.remarks, ",") + "]";
}

static std::string kernelsJSON(const zenith_executable &executable) {
  json::Array rows;
  const pipeline::Executable &program = *executable.program;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    json::Object row{{"name", json::fixUTF8(program.kernels[i])}};
    json::Array sources;
    if (i < program.kernelSources.size())
      for (const std::string &source : program.kernelSources[i])
        sources.push_back(json::fixUTF8(source));
    row["sources"] = std::move(sources);
    rows.push_back(std::move(row));
  }
  return textOf(std::move(rows));
}

static std::string timesJSON(const zenith_executable &executable) {
  json::Object phases;
  for (const auto &[name, ms] : executable.times.eachPhase)
    phases[name] = ms;
  return textOf(json::Object{{"phases", std::move(phases)},
                             {"objects_ms", executable.times.objects},
                             {"link_ms", executable.times.link},
                             {"cached", executable.times.cached}});
}

static std::string cacheJSON(const zenith_executable &executable) {
  return textOf(json::Object{{"cached", executable.times.cached}});
}

zenith_status *zenith_executable_report(const zenith_executable *executable,
                                        const char *topic,
                                        zenith_blob **blob) noexcept {
  static constexpr Topic<zenith_executable> topics[] = {
      {"signature", signatureJSON}, {"memory", executableMemoryJSON},
      {"remarks", remarksJSON},     {"kernels", kernelsJSON},
      {"times", timesJSON},         {"cache", cacheJSON}};
  return guarded([&]() -> zenith_status * {
    if (blob)
      *blob = nullptr;
    if (!executable || !topic || !blob)
      return nullPointer(!executable ? "executable" : topic ? "json" : "topic");
    return report<zenith_executable>(*executable, topic, topics, blob);
  });
}
