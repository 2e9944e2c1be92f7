// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which options zenith-run heeds under which others.

#include "tools/model/OptionEffects.h"

#include "ir/LLVMError.h"
#include "ir/target/OpenCLTarget.h"
#include "tools/model/RunOptions.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;

llvm::Error zenith::tools::checkEffects(const CLI::App &app,
                                        llvm::ArrayRef<OptionEffect> effects) {
  for (const OptionEffect &effect : effects) {
    const CLI::Option *option = app.get_option_no_throw(effect.option);
    if (option && option->count() > 0 && !effect.hasEffect)
      return makeError(ErrorCode::Usage, llvm::Twine(effect.option) +
                                             " has no effect " +
                                             effect.otherwise);
  }
  return llvm::Error::success();
}

llvm::Error zenith::tools::checkRunEffects(const CLI::App &app,
                                           const RunOptions &options) {
  bool compiles = !options.isInterpreted();
  bool usesCache =
      compiles && !target::OpenCLTarget::isTargetName(options.compile.target);
  bool compares =
      !options.expected.empty() || options.comparison != Comparison::None;
  constexpr auto interpreted = "with --target=interp";
  constexpr auto noComparison = "without --expect or --compare";
  constexpr auto server = "with --bench-server";
  const OptionEffect effects[] = {
      {"--compile-threads", compiles, interpreted},
      {"--cache", usesCache, "without --target=cpu or cpu:ARCH"},
      {"--explain", compiles, interpreted},
      {"--from", compiles, interpreted},
      {"--dump-schedules", compiles, interpreted},
      {"--explain-format", !options.explain.empty(), "without --explain"},
      {"--report-format", !options.reports.empty(), "without --report"},
      {"--out-format", !options.outDir.empty(), "without --out-dir"},
      {"--rtol", compares, noComparison},
      {"--atol", compares, noComparison},
      {"--max-ulp", compares, noComparison},
      {"--bench", !options.benchServer, server},
      {"--print", !options.benchServer, server},
      {"--expect", !options.benchServer, server},
      {"--compare", !options.benchServer, server},
      {"--report", !options.benchServer, server},
  };
  return checkEffects(app, effects);
}
