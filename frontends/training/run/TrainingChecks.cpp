// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One condition after the other; the first that does not hold is said.

#include "frontends/training/run/TrainingChecks.h"

#include "frontends/models/LoadModel.h"
#include "ir/LLVMError.h"

namespace zenith::training {

llvm::Error checkTraining(const TrainOptions &options) {
  auto usage = [](const llvm::Twine &text) {
    return makeError(ErrorCode::Usage, text);
  };
  if (options.model.empty())
    return usage("a model is needed: zenith-train MODEL [options]");
  if (options.loss.empty())
    return usage("--loss is needed, such as --loss=mse");
  if (options.optimizer.empty())
    return usage("--optimizer is needed, such as --optimizer='adam(1e-3)'");
  if (options.batchSize < 1)
    return usage("--batch-size is needed");
  bool stepsAlone = !options.exportStep.empty() || options.reportsMemory ||
                    options.printed != TrainedForm::None;
  if ((options.steps < 0) == (options.epochs < 0) &&
      !(stepsAlone && options.steps < 0))
    return usage("one of --steps and --epochs is needed");
  if (options.ema && !(*options.ema >= 0 && *options.ema <= 1))
    return usage("--ema is a decay in [0, 1]");
  if (options.validationSplit &&
      !(*options.validationSplit > 0 && *options.validationSplit < 1))
    return usage("--validation-split is a fraction between 0 and 1");
  if (options.validationSplit && !options.validation.empty())
    return usage("--validation and --validation-split exclude each other");
  bool validates = options.validationSplit || !options.validation.empty();
  if (!validates && (options.validateEvery || options.patience))
    return usage("--validate-every and --patience need --validation or "
                 "--validation-split");
  if (!options.keepBest.empty() && options.keepBest != "loss" &&
      options.keepBest != "validation_loss")
    return usage("--keep-best is loss or validation_loss, got '" +
                 options.keepBest + "'");
  if (options.keepBest == "validation_loss" && !validates)
    return usage("--keep-best=validation_loss needs --validation or "
                 "--validation-split");
  if (options.checkpointDir.empty() &&
      (options.checkpointEvery || !options.keepBest.empty()))
    return usage("--checkpoint-every and --keep-best need --checkpoint-dir");
  if (options.resume == "default" && options.checkpointDir.empty())
    return usage("--resume needs --checkpoint-dir, or --resume=DIR");
  if (options.resumeParams && options.resume.empty())
    return usage("--resume-params needs --resume");
  if (!options.output.empty() &&
      models::formatOf(options.model) != models::ModelFormat::ONNX)
    return usage("-o needs a model that is ONNX; --save-params writes the "
                 "parameters of others");
  return llvm::Error::success();
}

} // namespace zenith::training
