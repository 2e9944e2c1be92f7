// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages that are printed from tables: options, remarks, phases.

#include "ir/remarks/Remark.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/PhasePasses.h"
#include "lowering/pipeline/Phases.h"
#include "tests/project/ProjectFacts.h"
#include "tools/CacheCommands.h"
#include "tools/EmitModel.h"
#include "tools/TranslateModel.h"
#include "tools/plan/PlanOptions.h"
#include "tools/search/SearchOptions.h"
#include "tools/train/TrainCommandLine.h"
#include <sstream>

using namespace zenith::options;

namespace zenith::project {

namespace {

/// What a field takes, and its default where that says anything.
struct Type {
  std::string words, initial;
};

template <typename Enum> std::string choices() {
  std::string text;
  for (const std::string &word : wordsOf<Enum>())
    text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}

Type typeOf(bool, const Unit &) { return {"flag", ""}; }
Type typeOf(const std::string &value, const Unit &) { return {"text", value}; }
Type typeOf(const std::vector<std::string> &, const Unit &) {
  return {"text, repeated", ""};
}
Type typeOf(const tools::DimSizes &, const Unit &) {
  return {"NAME=N, repeated", ""};
}
Type typeOf(const tools::DimFacts &, const Unit &) {
  return {"NAME=N or NAME=LO..HI[%K], repeated", ""};
}
Type typeOf(const std::vector<tools::KeyedFile> &, const Unit &) {
  return {"KEY=FILE, repeated", ""};
}
template <typename T>
std::enable_if_t<std::is_enum_v<T>, Type> typeOf(T value, const Unit &) {
  return {"one of " + choices<T>(), wordOf(value).str()};
}
template <typename T>
std::enable_if_t<std::is_enum_v<T>, Type> typeOf(const std::vector<T> &,
                                                 const Unit &) {
  return {"list of " + choices<T>(), ""};
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, Type> typeOf(T value,
                                                       const Unit &unit) {
  std::string words = *unit.word ? unit.word : "number";
  if (unit.isBounded())
    words +=
        ", " + std::to_string(unit.least) + " to " + std::to_string(unit.most);
  return {words, value > 0 ? std::to_string(value) : ""};
}
template <typename T>
Type typeOf(const std::optional<T> &value, const Unit &unit) {
  return {typeOf(T{}, unit).words, value ? typeOf(*value, unit).initial : ""};
}

} // namespace

static std::string toolsOf(const OptionRow &row) {
  struct Name {
    ToolSet tools;
    const char *name;
  };
  static constexpr Name whole[] = {
      {Run, "run"},     {Compile, "compile"}, {Translate, "translate"},
      {Opt, "opt"},     {Search, "search"},   {Plan, "plan"},
      {Cache, "cache"}, {Train, "train"}};
  static constexpr Name commands[] = {{Bfs, "search bfs"},
                                      {Beam, "search beam"},
                                      {Path, "search path"},
                                      {Walks, "search walks"},
                                      {Info, "search info"},
                                      {Distance, "search distance"},
                                      {Hash, "search hash"},
                                      {PlanGraph, "plan graph"},
                                      {PlanArena, "plan arena"},
                                      {CacheList, "cache ls"},
                                      {CacheVerify, "cache verify"},
                                      {CacheCollect, "cache gc"},
                                      {CacheExplain, "cache explain"}};
  std::string text;
  unsigned named = 0;
  auto add = [&](const Name &entry) {
    if ((row.tools.taking & entry.tools.taking) != entry.tools.taking ||
        (named & entry.tools.taking))
      return;
    named |= entry.tools.taking;
    text += (text.empty() ? "" : ", ") + std::string(entry.name);
    text += row.tools.needs(entry.tools) ? " (required)" : "";
  };
  for (const Name &entry : whole)
    add(entry);
  for (const Name &entry : commands)
    add(entry);
  return text;
}

static std::string cacheOf(CacheUse use) {
  switch (use) {
  case CacheUse::InKey:
    return "in the key";
  case CacheUse::InTarget:
    return "in the key, by its processor";
  case CacheUse::SkipsCache:
    return "skips the cache";
  case CacheUse::NoPart:
    return "";
  }
  return "";
}

/// A cell of a table: no bar ends it early.
static std::string cell(llvm::StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

static void writeOption(std::ostream &page, const OptionRow &row,
                        const Type &type) {
  page << "| `" << row.spelling << "` | " << toolsOf(row) << " | " << type.words
       << " | " << (type.initial.empty() ? "" : "`" + type.initial + "`")
       << " | " << cacheOf(row.cache) << " | " << cell(row.help) << " |\n";
}

std::string optionsPage() {
  using namespace zenith::pipeline;
  using namespace zenith::tools;
  using namespace zenith::training;
  std::ostringstream page;
  page
      << R"page(<!-- Written by tools/scripts/gen_docs.py from lowering/pipeline/CompileOptions.def; edit that instead. -->
# Options

Every option of the tools, by the struct of the code that holds it. *Cache* says what an option means to a cache of compiled programs: another value of an option "in the key" is another entry; where one that "skips the cache" is given, the cache is not asked. zenith-opt takes its options also as `zenith-phases{name=value ...}`. In `--cache[=default]` the value may be left out; bytes are written with or without K, M, G, powers of 1024.
)page";
  std::string owner;
#define ZENITH_OPTION(struct_, field, type, initial, spelling, unit, tools,    \
                      cache, help)                                             \
  if (owner != #struct_) {                                                     \
    owner = #struct_;                                                          \
    page << "\n## " << owner                                                   \
         << "\n\n| option | tools | value | default | cache | meaning |\n"     \
            "|---|---|---|---|---|---|\n";                                     \
  }                                                                            \
  writeOption(page, {spelling, unit, tools, CacheUse::cache, help},            \
              typeOf(type(initial), unit));
#include "lowering/pipeline/CompileOptions.def"
  return page.str();
}

std::string remarksPage() {
  std::ostringstream page;
  page
      << R"page(<!-- Written by tools/scripts/gen_docs.py from ir/remarks/RemarkCodes.def; edit that instead. -->
# Remarks

`--explain=TOPIC` prints decisions as remarks, one line each: topic, code, location, sentence. `--explain-format=json` prints objects whose `payload` has the values by the names that stand in braces here. Codes stay; sentences may change.
)page";
  std::optional<remarks::Topic> topic;
  for (const remarks::Entry &entry : remarks::entries()) {
    if (topic != entry.topic)
      page << "\n## " << remarks::topicWord(entry.topic).str()
           << "\n\n| code | made by | sentence |\n|---|---|---|\n";
    topic = entry.topic;
    page << "| " << entry.name.str() << " | " << entry.maker.str() << " | "
         << cell(entry.sentence) << " |\n";
  }
  return page.str();
}

static std::string passText(const pipeline::PhasePass &pass) {
  std::string text = pass.argument;
  if (llvm::StringRef(text).starts_with("zenith-"))
    text = "[" + text + "](passes.md#" + text + ")";
  if (!pass.option.empty())
    text += " (with `--" + pass.option.str() + "`)";
  return text;
}

std::string phasesPage() {
  std::ostringstream page;
  page
      << R"page(<!-- Written by tools/scripts/gen_docs.py from lowering/pipeline/Phases.def and the built pass managers; edit that and PhaseBuilders.cpp instead. -->
# Phases

In this order; `--from`, `--to` and `--dump-phases` take these names. After each phase its contract is checked: an op that may not be left there is an error that names the op and the phase that owed its removal. The passes are those for a CPU; for other targets some are left out, and zenith-lower-blockwise-scales follows zenith-lower-qdq.

| phase | what it does | passes | what is left at its exit |
|---|---|---|---|
)page";
  for (const pipeline::Phase &phase : pipeline::phases()) {
    std::string passes;
    for (const pipeline::PhasePass &pass : pipeline::passesOf(phase))
      passes += (passes.empty() ? "" : ", ") + passText(pass);
    page << "| `" << phase.name.str() << "` | " << phase.sentence.str() << " | "
         << (passes.empty() ? "none" : passes) << " | " << phase.exit.str()
         << " |\n";
  }
  return page.str();
}

} // namespace zenith::project
