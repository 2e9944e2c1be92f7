// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the options that were given with the conditions of their rows.

#include "tools/model/OptionEffects.h"

#include "ir/LLVMError.h"
#include "ir/target/OpenCLTarget.h"
#include "tools/model/RunOptions.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;
using options::Condition;
using options::OptionRow;

static llvm::ArrayRef<OptionRow> optionRows() {
  using namespace zenith::options;
  static constexpr OptionRow rows[] = {
#define ZENITH_OPTION(owner, field, type, initial, spelling, unit, tools,      \
                      cache, help)                                             \
  {spelling, unit, tools, CacheUse::cache, help},
#include "lowering/pipeline/CompileOptions.def"
  };
  return rows;
}

static bool isGiven(const CLI::App &app, const OptionRow &row) {
  const CLI::Option *option = app.get_option_no_throw("--" + row.name().str());
  return option && option->count() > 0;
}

llvm::Error zenith::tools::checkEffects(const CLI::App &app,
                                        options::ToolSet tool,
                                        llvm::ArrayRef<Fact> facts) {
  for (const OptionRow &row : optionRows()) {
    if (!row.tools.takes(tool) || !isGiven(app, row))
      continue;
    for (const auto &[condition, holds] : facts)
      if (!holds && row.tools.depends(tool, condition))
        return makeError(ErrorCode::Usage, "--" + row.name() +
                                               " has no effect " +
                                               options::wordOf(condition));
  }
  return llvm::Error::success();
}

llvm::Error zenith::tools::checkKeepEffect(const PrecisionOptions &options,
                                           llvm::StringRef policy) {
  if (options.keepF32.empty() || !policy.empty() || !options.quantize.empty())
    return llvm::Error::success();
  return makeError(ErrorCode::Usage, "--keep-f32 has no effect without "
                                     "--mixed-precision or --quantize");
}

llvm::SmallVector<Fact> zenith::tools::runFacts(const RunOptions &options) {
  bool compiles = !options.isInterpreted();
  // What a policy makes of a program is decided before a target is.
  bool explainsPrecisionAlone =
      llvm::all_of(options.explain, [](remarks::Topic topic) {
        return topic == remarks::Topic::Precision;
      });
  bool onDevice = target::OpenCLTarget::isTargetName(options.compile.target);
  return {{Condition::Compiles, compiles},
          {Condition::CompilesForProcessor, compiles && !onDevice},
          {Condition::DecidesTopics, compiles || explainsPrecisionAlone},
          {Condition::Explains, !options.explain.empty()},
          {Condition::Reports, !options.reports.empty()},
          {Condition::Offloads, !options.offloadFolder.empty()}};
}
