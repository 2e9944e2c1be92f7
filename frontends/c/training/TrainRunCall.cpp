// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training with checkpoints around the loop.

#include "frontends/c/training/TrainingLoop.h"
#include "ir/LLVMError.h"

using namespace zenith;
using namespace zenith::c;

static zenith_status *resume(TrainingLoop &loop, zenith_session &session,
                             const char *folder) {
  auto newest = tensors::readNewestCheckpoint(
      folder, loop.types(), [&](const std::string &text) {
        models::Message message;
        message.severity = "warning";
        message.text = text;
        message.place = folder;
        recordMessage(*session.context, message);
      });
  if (!newest)
    return failure(newest.takeError(), ZENITH_REASON_MALFORMED);
  return *newest ? loop.load(**newest) : nullptr;
}

/// The error of a save is that of the call, unless that has one already.
static zenith_status *save(const TrainingLoop &loop,
                           tensors::Checkpoints &checkpoints) {
  if (llvm::Error error = checkpoints.save(loop.save()))
    return failure(std::move(error));
  if (llvm::Error error = checkpoints.finish())
    return failure(std::move(error));
  return nullptr;
}

static zenith_status *firstOf(zenith_status *first, zenith_status *second) {
  if (!first)
    return second;
  zenith_status_free(second);
  return first;
}

zenith_status *
zenith_train_run(zenith_session *step, const zenith_named_array *const *data,
                 size_t dataCount, const zenith_named_array *const *labels,
                 size_t labelCount, int64_t steps, const char *checkpointDir,
                 zenith_record_fn record, void *recordUser,
                 zenith_cancel *cancel, int64_t deadline) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!step)
      return nullPointer("step");
    if (steps < 0)
      return usage(ZENITH_REASON_NONE, "steps: got " + std::to_string(steps) +
                                           ", expected at least 0");
    TrainingLoop loop(*step);
    if (zenith_status *status =
            loop.start({data, dataCount}, {labels, labelCount}))
      return status;
    std::unique_ptr<tensors::Checkpoints> checkpoints;
    if (checkpointDir) {
      auto opened = tensors::Checkpoints::open(checkpointDir, {});
      if (!opened)
        return failure(opened.takeError(), ZENITH_REASON_NO_FILE);
      checkpoints = std::move(*opened);
      if (zenith_status *status = resume(loop, *step, checkpointDir))
        return status;
    }
    int64_t first = loop.step();
    zenith_status *status = nullptr, *failed = nullptr;
    while (loop.step() < steps && !status && !failed) {
      status = interruption(cancel, deadline);
      if (!status)
        failed = loop.advance(steps, record, recordUser);
    }
    // A state that is not finite is no place to go on from.
    if (checkpoints && !failed && loop.step() > first)
      status = firstOf(status, save(loop, *checkpoints));
    return firstOf(failed ? failed : status, loop.rebind());
  });
}
