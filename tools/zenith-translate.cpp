// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates models between ONNX, GraphIR text and bytecode.

#include "tools/TranslateModel.h"
#include "tools/model/ToolMain.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-translate", argc, argv, parseTranslateOptions,
                  translateModel);
}
