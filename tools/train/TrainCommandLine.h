// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-train, read into the options of a training.

#ifndef ZENITH_TOOLS_TRAIN_TRAINCOMMANDLINE_H
#define ZENITH_TOOLS_TRAIN_TRAINCOMMANDLINE_H

#include "frontends/training/TrainOptions.h"
#include "tools/model/RunOptions.h"

namespace zenith::tools {

struct TrainCommand {
  training::TrainOptions train;
  RunOptions run; ///< target, threads, memory, remarks: as of zenith-run
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<TrainCommand>>
parseTrainOptions(int argc, char **argv, CommonOptions &common);

/// Trains, or prints what is asked for instead.
llvm::Error train(const TrainCommand &command, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_TRAIN_TRAINCOMMANDLINE_H
