// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-translate does: read one format, write another, check the result.

#ifndef ZENITH_TOOLS_TRANSLATEMODEL_H
#define ZENITH_TOOLS_TRANSLATEMODEL_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace zenith::tools {

class Diagnostics;

struct TranslateOptions {
  std::string input, output;
  std::string fromFormat, toFormat; ///< "onnx", "graphir" or "bytecode"
  std::string entry;
  int64_t opset = 17;
  bool check = false, externalData = false;
  std::map<std::string, int64_t>
      dims; ///< sizes of named dimensions for --check
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<TranslateOptions>>
parseTranslateOptions(int argc, char **argv, bool &jsonDiagnostics);

llvm::Error translateModel(const TranslateOptions &options,
                           Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_TRANSLATEMODEL_H
