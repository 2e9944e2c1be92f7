// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the options of phases by the rows of CompileOptions.def.

#include "tools/opt/OptArguments.h"

#include "lowering/pipeline/CompileOptions.h"
#include "tools/opt/ImportStableHLOPass.h"
#include <optional>
#include <type_traits>

using namespace zenith;
using namespace zenith::tools;
using llvm::StringRef;

namespace {
/// An option of phases as one argument has it.
struct PhaseOption {
  StringRef name;
  std::optional<StringRef> value;
  bool isFlag = false; ///< may stand without a value
};
} // namespace

/// Nothing for arguments that are none.
static std::optional<PhaseOption> phaseOption(StringRef argument) {
  using namespace zenith::options;
  using namespace zenith::pipeline;
  struct Row {
    OptionRow row;
    bool isFlag;
  };
  static constexpr Row rows[] = {
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  {{spelling, unit, tools, CacheUse::cache, help}, std::is_same_v<type, bool>},
#include "lowering/pipeline/CompileOptions.def"
  };
  if (!argument.consume_front("-"))
    return std::nullopt;
  argument.consume_front("-");
  auto [name, value] = argument.split('=');
  for (const auto &[row, isFlag] : rows)
    if (row.tools.takes(Opt) && row.name() == name)
      return PhaseOption{
          name, argument.contains('=') ? std::optional(value) : std::nullopt,
          isFlag};
  return std::nullopt;
}

bool zenith::tools::isOption(StringRef argument, StringRef name) {
  return argument.consume_front("-") &&
         (argument == name ||
          (argument.consume_front("-") && argument == name));
}

std::vector<std::string>
zenith::tools::withPhases(llvm::ArrayRef<const char *> given) {
  std::vector<std::string> arguments;
  std::string options, from;
  std::optional<size_t> place;
  bool namesPhase = false;
  for (size_t i = 0; i < given.size(); ++i) {
    std::optional<PhaseOption> option = phaseOption(given[i]);
    if (!option) {
      arguments.push_back(given[i]);
      continue;
    }
    StringRef value = option->isFlag ? "true" : "";
    if (option->value)
      value = *option->value;
    else if (!option->isFlag && i + 1 < given.size())
      value = given[++i];
    options += (" " + option->name + "=" + value).str();
    bool isPhase = option->name == "from" || option->name == "to";
    if (!place || (isPhase && !namesPhase))
      place = arguments.size();
    namesPhase |= isPhase;
    if (option->name == "from")
      from = value.str();
  }
  if (!place)
    return arguments;
  auto position = arguments.begin() + int64_t(*place);
  position = arguments.insert(position, "--zenith-phases=" + options.substr(1));
  if (from.empty() || from == "import")
    arguments.insert(position, ("--" + importStableHLOArgument).str());
  return arguments;
}
