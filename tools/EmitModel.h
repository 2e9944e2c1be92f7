// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-compile does: a model in, the text or the objects of a stage out.

#ifndef ZENITH_TOOLS_EMITMODEL_H
#define ZENITH_TOOLS_EMITMODEL_H

#include "tools/model/RunOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;

using pipeline::EmitForm;

struct EmitOptions {
#define ZENITH_EMIT_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  RunOptions run; ///< the model and what it is compiled for
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<EmitOptions>>
parseEmitOptions(int argc, char **argv, CommonOptions &common);

llvm::Error emitModel(const EmitOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_EMITMODEL_H
