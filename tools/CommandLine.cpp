// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11 with Zenith's exit codes and suggestions.

#include "tools/CommandLine.h"

#include "tools/Diagnostics.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;
using llvm::StringRef;

static constexpr const char *version = "0.1.0";

void zenith::tools::addRepeated(CLI::App &app, const std::string &name,
                                std::vector<std::string> &values,
                                const std::string &help) {
  app.add_option(name, values, help)
      ->type_size(1)
      ->expected(1, 1 << 20)
      ->allow_extra_args(false);
}

void zenith::tools::addCommonOptions(CLI::App &app, bool &jsonDiagnostics) {
  app.set_version_flag("--version", app.get_name() + " " + version +
                                        " (LLVM " LLVM_VERSION_STRING ")");
  app.add_option_function<std::string>(
         "--diagnostics",
         [&jsonDiagnostics](const std::string &format) {
           jsonDiagnostics = format == "json";
         },
         "how errors are printed: text or json, one object a line")
      ->check(CLI::IsMember({"text", "json"}));
}

void zenith::tools::addCacheOption(CLI::App &app, std::string &folder) {
  app.add_flag("--cache{" + defaultCache.str() + "}", folder,
               "takes compiled programs from a folder and keeps them there; "
               "default: $ZENITH_CACHE_DIR, else ~/.cache/zenith");
}

std::string zenith::tools::suggestion(StringRef word,
                                      llvm::ArrayRef<std::string> names) {
  const std::string *nearest = nullptr;
  unsigned best = unsigned(word.size() + 1) / 2 + 1;
  for (const std::string &name : names) {
    unsigned distance =
        word.edit_distance(name, /*AllowReplacements=*/true, best);
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}

static llvm::Error unknownArgument(const CLI::App &app,
                                   const std::string &word) {
  if (word.size() < 2 || word[0] != '-')
    return failure(ExitCode::Usage, "unexpected argument '" + word + "'");
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  std::string name = word.substr(0, word.find('='));
  return failure(ExitCode::Usage,
                 "unknown option '" + name + "'" + suggestion(name, names));
}

llvm::Expected<bool> zenith::tools::parseCommandLine(CLI::App &app, int argc,
                                                     char **argv) {
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    app.exit(request);
    return true;
  } catch (const CLI::RequiredError &error) {
    // An unknown option is the better explanation of a missing argument.
    for (const std::string &word : app.remaining())
      return unknownArgument(app, word);
    return failure(ExitCode::Usage, error.what());
  } catch (const CLI::ParseError &error) {
    return failure(ExitCode::Usage, error.what());
  }
  for (const std::string &word : app.remaining())
    return unknownArgument(app, word);
  return false;
}

llvm::Expected<std::pair<std::string, std::string>>
zenith::tools::splitKey(StringRef option, StringRef text) {
  size_t equals = text.find('=');
  if (equals == StringRef::npos || equals == 0)
    return failure(ExitCode::Usage,
                   option.str() + " needs KEY=VALUE, got '" + text.str() + "'");
  return std::make_pair(text.take_front(equals).str(),
                        text.drop_front(equals + 1).str());
}

std::optional<int64_t> zenith::tools::parseBytes(StringRef text) {
  int64_t factor = 1, value = 0, bytes = 0;
  for (auto [suffix, power] :
       {std::pair("K", 10), std::pair("M", 20), std::pair("G", 30)})
    if (text.consume_back(suffix)) {
      factor = int64_t(1) << power;
      break;
    }
  if (text.getAsInteger(10, value) || value < 0 ||
      llvm::MulOverflow(value, factor, bytes))
    return std::nullopt;
  return bytes;
}
