// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model and writes what a stage of the compiler makes of it.

#include "tools/EmitModel.h"
#include "tools/model/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  Diagnostics diagnostics("zenith-compile", llvm::errs());
  bool json = false;
  auto options = parseEmitOptions(argc, argv, json);
  diagnostics.useJSON(json);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? diagnostics.report(emitModel(**options, diagnostics)) : 0;
}
