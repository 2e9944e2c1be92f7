// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11 with Zenith's exit codes and suggestions.

#include "tools/model/CommandLine.h"

#include "frontends/models/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <new>
#include <unistd.h>

using namespace zenith;
using namespace zenith::tools;
using llvm::StringRef;

static constexpr const char *version = "0.1.0";

/// What every tool prints for --version.
static void addVersion(CLI::App &app) {
  app.set_version_flag("--version", app.get_name() + " " + version +
                                        " (LLVM " LLVM_VERSION_STRING ")");
}

static llvm::Error unknownArgument(const CLI::App &app,
                                   const std::string &word) {
  if (word.size() < 2 || word[0] != '-') {
    std::vector<std::string> commands;
    for (const CLI::App *command :
         app.get_subcommands([](const CLI::App *) { return true; }))
      commands.push_back(command->get_name());
    return makeError(ErrorCode::Usage,
                     commands.empty()
                         ? "unexpected argument '" + word + "'"
                         : "no command is called '" + word + "'" +
                               suggestion(word, commands) + "; known are " +
                               llvm::join(commands, ", "));
  }
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  std::string name = word.substr(0, word.find('='));
  return makeError(ErrorCode::Usage,
                   "unknown option '" + name + "'" + suggestion(name, names));
}

/// The error for the first word that is no option and no argument.
static llvm::Error unknownArguments(const CLI::App &app) {
  std::vector<CLI::App *> commands = app.get_subcommands();
  for (const std::string &word : app.remaining(/*recurse=*/true))
    return unknownArgument(commands.empty() ? app : *commands.front(), word);
  return llvm::Error::success();
}

/// Ends the process where a library gets no memory, since libraries cannot
/// report it. Memory for the values of programs is allocated without them.
static void endWithoutMemory() {
  constexpr char text[] = "error: the system has no more memory\n";
  (void)!::write(STDERR_FILENO, text, sizeof(text) - 1);
  ::_exit(int(ErrorCode::Memory));
}

llvm::Expected<bool> zenith::tools::parseCommandLine(CLI::App &app, int argc,
                                                     char **argv) {
  // Without this a file that reaches the user's limit ends the process by a
  // signal; with it the write fails, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(endWithoutMemory);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithoutMemory(); });
  addVersion(app);
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
