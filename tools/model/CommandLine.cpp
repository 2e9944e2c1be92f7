// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11 with Zenith's exit codes and suggestions.

#include "tools/model/CommandLine.h"

#include "tools/model/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <new>
#include <unistd.h>

using namespace zenith;
using namespace zenith::tools;
using llvm::StringRef;

static constexpr const char *version = "0.1.0";

/// An option that may be repeated and takes one value each time, so that it
/// never swallows the model's name.
static void takeOneEachTime(CLI::Option *option) {
  option->type_size(1)->expected(1, 1 << 20)->allow_extra_args(false);
}

void zenith::tools::addRepeated(CLI::App &app, const std::string &name,
                                std::vector<std::string> &values,
                                const std::string &help) {
  takeOneEachTime(app.add_option(name, values, help));
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

void zenith::tools::addThreadsOption(CLI::App &app, unsigned &threads,
                                     const std::string &help) {
  app.add_option("--threads", threads, help)->check(CLI::Range(1, 4096));
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

void zenith::tools::addBytesOption(CLI::App &app, const std::string &name,
                                   std::optional<int64_t> &bytes,
                                   const std::string &help) {
  app.add_option_function<std::string>(
      name,
      [&bytes, name](const std::string &text) {
        if (!(bytes = parseBytes(text)))
          throw CLI::ValidationError(
              name + " needs bytes, with or without K, M or G, got '" + text +
              "'");
      },
      help);
}

void zenith::tools::addMaxMemoryOption(CLI::App &app,
                                       std::optional<int64_t> &bytes) {
  addBytesOption(
      app, "--max-memory", bytes,
      "most bytes for what a run computes, with or without K, M or G");
}

void zenith::tools::addMixedPrecisionOption(CLI::App &app, std::string &type) {
  app.add_option("--mixed-precision", type,
                 "bf16 or fp16: stores weights of products so, sums in f32")
      ->check(CLI::IsMember({"bf16", "fp16"}));
}

void zenith::tools::addExplainOption(CLI::App &app,
                                     std::vector<std::string> &explain,
                                     const std::vector<std::string> &kinds) {
  app.add_option("--explain", explain, "remarks: " + llvm::join(kinds, ", "))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(kinds));
}

std::vector<std::string> zenith::tools::modelRemarks() {
  return {"fusion",   "remat",  "precision", "sharding",
          "fallback", "search", "cache"};
}

void zenith::tools::addExplainFormatOption(CLI::App &app, bool &asJSON) {
  app.add_option_function<std::string>(
         "--explain-format",
         [&asJSON](const std::string &format) { asJSON = format == "json"; },
         "text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

void zenith::tools::addReportOptions(CLI::App &app,
                                     std::vector<std::string> &reports,
                                     bool &asText,
                                     const std::vector<std::string> &kinds) {
  app.add_option("--report", reports,
                 "JSON on standard output, a line each: " +
                     llvm::join(kinds, ", "))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(kinds));
  app.add_option_function<std::string>(
         "--report-format",
         [&asText](const std::string &format) { asText = format == "text"; },
         "json, or text for the roofline as a table")
      ->check(CLI::IsMember({"text", "json"}));
}

/// Adds the size that a text NAME=N gives.
static void addDim(std::map<std::string, int64_t> &dims, StringRef text) {
  auto [name, number] = text.split('=');
  int64_t size;
  if (name.empty() || number.getAsInteger(10, size) || size < 0)
    throw CLI::ValidationError("--dim needs NAME=N with a number N, got '" +
                               text.str() + "'");
  auto [known, fresh] = dims.emplace(name, size);
  if (!fresh && known->second != size)
    throw CLI::ValidationError("--dim gives '" + name.str() + "' two sizes");
}

void zenith::tools::addDimOption(CLI::App &app,
                                 std::map<std::string, int64_t> &dims,
                                 const std::string &help) {
  takeOneEachTime(app.add_option_function<std::vector<std::string>>(
      "--dim",
      [&dims](const std::vector<std::string> &texts) {
        for (const std::string &text : texts)
          addDim(dims, text);
      },
      help));
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
    return makeError(ErrorCode::Usage, "unexpected argument '" + word + "'");
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  std::string name = word.substr(0, word.find('='));
  return makeError(ErrorCode::Usage,
                   "unknown option '" + name + "'" + suggestion(name, names));
}

/// What the words that nobody expected are taken for.
static llvm::Error unknownArguments(const CLI::App &app) {
  std::vector<CLI::App *> commands = app.get_subcommands();
  for (const std::string &word : app.remaining(/*recurse=*/true))
    return unknownArgument(commands.empty() ? app : *commands.front(), word);
  return llvm::Error::success();
}

/// Ends the process where libraries, which have no way to go on, get no memory.
/// What programs take for their values is asked for in other ways.
static void endWithoutMemory() {
  constexpr char text[] = "error: the system has no more memory\n";
  (void)!::write(STDERR_FILENO, text, sizeof(text) - 1);
  ::_exit(int(ErrorCode::Memory));
}

llvm::Expected<bool> zenith::tools::parseCommandLine(CLI::App &app, int argc,
                                                     char **argv) {
  // A file that reaches the user's limit is an error of the write, as on a full
  // disk, and no reason to end without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(endWithoutMemory);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithoutMemory(); });
  app.allow_extras();
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    command->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    app.exit(request);
    return true;
  } catch (const CLI::RequiredError &error) {
    // An unknown option is the better explanation of a missing argument.
    if (llvm::Error unknown = unknownArguments(app))
      return std::move(unknown);
    return makeError(ErrorCode::Usage, error.what());
  } catch (const CLI::ParseError &error) {
    return makeError(ErrorCode::Usage, error.what());
  }
  if (llvm::Error unknown = unknownArguments(app))
    return std::move(unknown);
  return false;
}

llvm::Expected<std::pair<std::string, std::string>>
zenith::tools::splitKey(StringRef option, StringRef text) {
  size_t equals = text.find('=');
  if (equals == StringRef::npos || equals == 0)
    return makeError(ErrorCode::Usage, option.str() +
                                           " needs KEY=VALUE, got '" +
                                           text.str() + "'");
  return std::make_pair(text.take_front(equals).str(),
                        text.drop_front(equals + 1).str());
}
