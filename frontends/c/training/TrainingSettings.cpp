// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the struct; what texts mean is checked where steps are built.

#include "frontends/c/training/TrainingSettings.h"

#include "frontends/c/StructReading.h"
#include "frontends/models/Suggestion.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace zenith;
using namespace zenith::c;

static zenith_status *set(llvm::StringRef name, llvm::StringRef value,
                          TrainingSettings &settings) {
  training::TrainOptions &options = settings.options;
  if (name == "labels") {
    llvm::SmallVector<llvm::StringRef> keys;
    value.split(keys, ',');
    for (llvm::StringRef key : keys)
      settings.labels.push_back(key.str());
  } else if (name == "mixed-precision") {
    options.compile.mixedPrecision = value.str();
  } else if (name == "loss-scale") {
    options.lossScale = value.str();
  } else if (name == "on-nan") {
    auto word = options::valueOf<training::NonFinite>(value);
    if (!word)
      return usage(ZENITH_REASON_UNKNOWN_NAME, "on-nan does not take '" +
                                                   value.str() +
                                                   "', expected stop or skip");
    options.onNaN = *word;
  } else {
    const std::vector<std::string> names{"labels", "loss-scale",
                                         "mixed-precision", "on-nan"};
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "no setting is called '" + name.str() + "'" +
                     models::suggestion(name, names) + "; known are " +
                     llvm::join(names, ", "));
  }
  return nullptr;
}

static std::string numberText(int64_t number) { return std::to_string(number); }

zenith_status *
zenith::c::readTrainingOptions(const zenith_training_options *given,
                               TrainingSettings &settings) {
  zenith_training_options read;
  if (zenith_status *status = readStruct(given, read))
    return status;
  if (!read.loss || !read.optimizer)
    return nullPointer(read.loss ? "optimizer" : "loss");
  if (read.batch_size < 0 || read.micro_batches < 0)
    return usage(ZENITH_REASON_NONE, "batch_size and micro_batches: got " +
                                         numberText(read.batch_size) + " and " +
                                         numberText(read.micro_batches) +
                                         ", expected at least 0");
  if (!(read.ema >= 0 && read.ema <= 1))
    return usage(ZENITH_REASON_NONE, "ema is a decay in [0, 1]");
  training::TrainOptions &options = settings.options;
  options.loss = read.loss;
  options.optimizer = read.optimizer;
  options.batchSize = read.batch_size;
  options.seed = read.seed;
  options.freeze = read.freeze ? read.freeze : "";
  options.microBatches = read.micro_batches ? read.micro_batches : 1;
  if (read.ema != 0)
    options.ema = read.ema;
  for (size_t i = 0; i < read.setting_count; ++i) {
    if (!read.settings || !read.settings[i])
      return nullPointer("settings");
    auto [name, value] = llvm::StringRef(read.settings[i]).split('=');
    if (zenith_status *status = set(name, value, settings))
      return status;
  }
  return nullptr;
}
