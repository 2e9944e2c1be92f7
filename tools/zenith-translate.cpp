// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates models between ONNX, GraphIR text and bytecode.

#include "tools/TranslateModel.h"
#include "tools/model/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  Diagnostics diagnostics("zenith-translate", llvm::errs());
  bool json = false;
  auto options = parseTranslateOptions(argc, argv, json);
  diagnostics.useJSON(json);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? diagnostics.report(translateModel(**options, diagnostics))
                  : 0;
}
