// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest has what must be equal for steps to go on as if they had never
// ended.

#include "frontends/training/run/TrainingManifest.h"

#include "frontends/files/ElementNames.h"
#include "ir/LLVMError.h"
#include "lowering/pipeline/ModuleKey.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith::training {

static std::string checkpointName(const StepState &state) {
  if (state.kind == StateKind::Parameter)
    return "params/" + state.entry.name;
  if (state.kind == StateKind::Running)
    return "state/" + state.entry.name;
  return state.entry.name;
}

static llvm::json::Object describeData(const Dataset &set) {
  llvm::json::Object data;
  for (const auto *side : {&set.data, &set.labels})
    for (const auto &[key, array] : *side) {
      llvm::json::Array shape;
      for (int64_t size : array.shape())
        shape.push_back(size);
      std::string name = side == &set.data ? key : "label/" + key;
      data[name] = llvm::json::Object{
          {"shape", std::move(shape)},
          {"dtype", files::elementName(array.elementType())}};
    }
  return data;
}

llvm::json::Object TrainingManifest::describeTraining() const {
  std::optional<uint64_t> shuffle = data.shuffleSeed();
  return llvm::json::Object{
      {"batch_size", options.batchSize},
      {"seed", int64_t(options.seed)},
      {"shuffle", shuffle ? llvm::json::Value(int64_t(*shuffle))
                          : llvm::json::Value("none")},
      {"optimizer", options.optimizer},
      {"loss", options.loss},
      {"model", digest},
      {"data", describeData(data.examples())},
      {"zenith", pipeline::compilerVersion()}};
}

tensors::Checkpoint TrainingManifest::describe(const Position &position,
                                               const Metrics &metrics,
                                               int64_t logBytes,
                                               const BuiltStep &step,
                                               const StateValues &state) const {
  tensors::Checkpoint checkpoint;
  checkpoint.step = position.step;
  checkpoint.manifest = describeTraining();
  llvm::json::Object numbers;
  for (const auto &[name, value] : metrics)
    numbers[name] = value;
  checkpoint.manifest["metrics"] = std::move(numbers);
  checkpoint.manifest["epoch"] = data.epochOf(position.step);
  checkpoint.manifest["batch"] = position.step % data.perEpoch();
  checkpoint.manifest["log_bytes"] = logBytes;
  if (position.bestValue)
    checkpoint.manifest["best"] =
        llvm::json::Object{{"metric", options.keepBest},
                           {"value", *position.bestValue},
                           {"step", position.bestStep}};
  if (position.leastValidation)
    checkpoint.manifest["patience"] =
        llvm::json::Object{{"least", *position.leastValidation},
                           {"validations", position.withoutProgress}};
  std::vector<Tensor> values = state.snapshot();
  for (auto [entry, value] : llvm::zip(step.state, values))
    checkpoint.tensors[checkpointName(entry)] = value;
  return checkpoint;
}

llvm::Error
TrainingManifest::checkSame(const tensors::Checkpoint &checkpoint) const {
  llvm::json::Object now = describeTraining();
  for (const char *key :
       {"optimizer", "loss", "model", "data", "batch_size", "shuffle"}) {
    const llvm::json::Value *was = checkpoint.manifest.get(key),
                            *is = now.get(key);
    if (was && *was == *is)
      continue;
    std::string before = "nothing", after;
    if (was)
      llvm::raw_string_ostream(before = "") << *was;
    llvm::raw_string_ostream(after) << *is;
    return makeError(ErrorCode::Usage,
                     std::string("the checkpoint is of another ") + key + ": " +
                         before + ", not " + after +
                         "; --resume-params takes its parameters alone",
                     checkpoint.folder);
  }
  return llvm::Error::success();
}

llvm::Error TrainingManifest::takeState(const tensors::Checkpoint &checkpoint,
                                        const BuiltStep &step,
                                        StateValues &state) const {
  for (auto [i, entry] : llvm::enumerate(step.state)) {
    bool isParameter =
        entry.kind == StateKind::Parameter || entry.kind == StateKind::Running;
    if (options.resumeParams && !isParameter)
      continue;
    std::string name = checkpointName(entry);
    auto found = checkpoint.tensors.find(name);
    // A training that had no scale may go on with one, which starts anew.
    if (entry.kind == StateKind::Scale && found == checkpoint.tensors.end())
      continue;
    if (found == checkpoint.tensors.end() ||
        found->second.type() != entry.entry.type)
      return makeError(ErrorCode::Usage,
                       "the checkpoint has " +
                           (found == checkpoint.tensors.end()
                                ? "no value of '" + name + "'"
                                : "'" + name + "' as " +
                                      files::typeText(found->second.type()) +
                                      ", not " +
                                      files::typeText(entry.entry.type)),
                       checkpoint.folder);
    state.set(i, found->second);
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t>
TrainingManifest::resume(const tensors::Checkpoint &checkpoint,
                         const BuiltStep &step, StateValues &state,
                         Position &position) const {
  if (!options.resumeParams)
    if (llvm::Error error = checkSame(checkpoint))
      return std::move(error);
  if (llvm::Error error = takeState(checkpoint, step, state))
    return std::move(error);
  if (options.resumeParams)
    return 0;
  const llvm::json::Object &manifest = checkpoint.manifest;
  position.step = checkpoint.step;
  if (const llvm::json::Object *best = manifest.getObject("best"))
    if (best->getString("metric") == StringRef(options.keepBest)) {
      position.bestValue = best->getNumber("value");
      position.bestStep = best->getInteger("step").value_or(0);
    }
  if (const llvm::json::Object *least = manifest.getObject("patience")) {
    position.leastValidation = least->getNumber("least");
    position.withoutProgress = least->getInteger("validations").value_or(0);
  }
  return manifest.getInteger("log_bytes").value_or(0);
}

} // namespace zenith::training
