// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command lines of all tools share: help, version, and the name that
// was probably meant.

#ifndef ZENITH_TOOLS_MODEL_COMMANDLINE_H
#define ZENITH_TOOLS_MODEL_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zenith::tools {

/// An option that may be repeated and takes one value each time, so that it
/// never swallows the model's name.
void addRepeated(CLI::App &app, const std::string &name,
                 std::vector<std::string> &values, const std::string &help);

/// Adds --version and --diagnostics; `jsonDiagnostics` becomes true for
/// --diagnostics=json.
void addCommonOptions(CLI::App &app, bool &jsonDiagnostics);

/// Adds --cache[=DIR]; without DIR `folder` becomes defaultCache.
void addCacheOption(CLI::App &app, std::string &folder);
inline constexpr llvm::StringLiteral defaultCache = "default";

/// Adds --threads, from 1 to 4096; `help` says whose.
void addThreadsOption(CLI::App &app, unsigned &threads,
                      const std::string &help);
inline constexpr const char *workerThreads =
    "worker threads, at most and by default one for each core that the "
    "cgroup grants";

/// Adds an option for bytes, with or without K, M or G; other texts are usage
/// errors.
void addBytesOption(CLI::App &app, const std::string &name,
                    std::optional<int64_t> &bytes, const std::string &help);

/// Adds --max-memory, the cap of a run.
void addMaxMemoryOption(CLI::App &app, std::optional<int64_t> &bytes);

/// Adds --mixed-precision: bf16 or fp16.
void addMixedPrecisionOption(CLI::App &app, std::string &type);

/// Adds --explain, a list out of `kinds` of remarks.
void addExplainOption(CLI::App &app, std::vector<std::string> &explain,
                      const std::vector<std::string> &kinds);

/// The kinds of remarks that compiling a model can leave.
std::vector<std::string> modelRemarks();

/// Adds --explain-format; `asJSON` becomes true for json.
void addExplainFormatOption(CLI::App &app, bool &asJSON);

/// Adds --report, a list out of `kinds`, and --report-format; `asText` becomes
/// true for text.
void addReportOptions(CLI::App &app, std::vector<std::string> &reports,
                      bool &asText, const std::vector<std::string> &kinds);

/// Adds --dim NAME=N, which may be repeated; two sizes for a name are a usage
/// error.
void addDimOption(
    CLI::App &app, std::map<std::string, int64_t> &dims,
    const std::string &help = "NAME=N, the size of a named dimension");

/// Parses; nothing to do where help or the version was printed (true). Unknown
/// options are usage errors that name the nearest one.
llvm::Expected<bool> parseCommandLine(CLI::App &app, int argc, char **argv);

/// ", did you mean '...'?" for the name that `word` is closest to; empty where
/// none is close.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<std::string> names);

/// Splits KEY=VALUE; an error names `option` where there is no '='.
llvm::Expected<std::pair<std::string, std::string>>
splitKey(llvm::StringRef option, llvm::StringRef text);

/// Bytes of "123", "4K", "5M", "6G"; nothing for other texts.
std::optional<int64_t> parseBytes(llvm::StringRef text);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_COMMANDLINE_H
