// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a model: ONNX and arrays in, trained ONNX out.

#include "tools/model/ToolMain.h"
#include "tools/train/TrainCommandLine.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-train", argc, argv, parseTrainOptions, train);
}
