// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a copy of a module.

#include "frontends/c/Module.h"
#include "frontends/c/training/TrainingSettings.h"
#include "frontends/training/ModuleStep.h"
#include "ir/LLVMError.h"

using namespace zenith;
using namespace zenith::c;

zenith_status *zenith_training_step(zenith_module *model,
                                    const zenith_training_options *given,
                                    zenith_module **step) noexcept {
  return guarded([&]() -> zenith_status * {
    if (step)
      *step = nullptr;
    if (!model || !given || !step)
      return nullPointer(!model ? "model" : given ? "step" : "options");
    TrainingSettings settings;
    if (zenith_status *status = readTrainingOptions(given, settings))
      return status;
    std::shared_ptr<Program> copy = copyOf(*model->program);
    if (!copy)
      return failure(ZENITH_INTERNAL, ZENITH_REASON_NONE,
                     "the module cannot be copied");
    auto built = training::buildModuleStep(std::move(copy->module),
                                           settings.options, settings.labels);
    if (!built)
      return failure(built.takeError());
    copy->module = std::move(*built);
    *step = create<zenith_module>(*model->context, *model->context,
                                  std::move(copy));
    return nullptr;
  });
}
