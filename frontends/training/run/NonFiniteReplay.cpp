// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs steps again from the copy, and the last of them by the interpreter.

#include "frontends/training/run/NonFiniteReplay.h"

namespace zenith::training {

llvm::Expected<std::string> NonFiniteReplay::firstOp(StepSession &session,
                                                     TrainingData &data,
                                                     int64_t failed) const {
  StateValues again;
  for (const Tensor &value : copy)
    again.add(value);
  for (int64_t step = first; step < failed; ++step) {
    auto batch = data.batch(step, session.step());
    if (!batch)
      return batch.takeError();
    auto figures = session.run(again, *batch);
    if (!figures)
      return figures.takeError();
  }
  std::vector<Tensor> before;
  for (size_t i = 0; i < again.size(); ++i)
    before.push_back(again[i]);
  auto batch = data.batch(failed, session.step());
  if (!batch)
    return batch.takeError();
  return session.firstNonFinite(before, *batch);
}

} // namespace zenith::training
