// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-translate does: read one format, write another, check the result.

#ifndef ZENITH_TOOLS_TRANSLATEMODEL_H
#define ZENITH_TOOLS_TRANSLATEMODEL_H

#include "frontends/models/LoadModel.h"
#include "tools/model/RunOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;

struct TranslateOptions {
#define ZENITH_TRANSLATE_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  PrecisionOptions precision;
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<TranslateOptions>>
parseTranslateOptions(int argc, char **argv, CommonOptions &common);

llvm::Error translateModel(const TranslateOptions &options,
                           Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_TRANSLATEMODEL_H
