// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views rows where the order is the data's, else copies them.

#include "frontends/training/run/TrainingData.h"

#include "frontends/files/ElementNames.h"
#include "frontends/training/Initializers.h"
#include "ir/LLVMError.h"

#include <cmath>

using namespace mlir;

namespace zenith::training {

llvm::Error TrainingData::read() {
  auto read = makeEpoch ? makeEpoch(0, context)
                        : Dataset::read(options.data, options.labels, "--data",
                                        "--labels", context);
  if (!read)
    return read.takeError();
  set = std::move(*read);
  if (set.data.empty())
    return makeError(ErrorCode::Usage, "--data KEY=FILE.npy is needed");
  if (llvm::Error error = readValidation())
    return error;
  return count();
}

llvm::Error TrainingData::readValidation() {
  if (options.validationSplit) {
    // A rounding error must not take a row: 0.1 * 30 is 3.
    auto count =
        int64_t(std::floor(double(set.rows) * *options.validationSplit + 1e-9));
    if (count < 1)
      return makeError(ErrorCode::Usage,
                       "--validation-split leaves no example to validate");
    validationSet = set.splitLast(count);
    return llvm::Error::success();
  }
  if (options.validation.empty())
    return llvm::Error::success();
  auto read = Dataset::read(options.validation, options.validationLabels,
                            "--validation", "--validation-labels", context);
  if (!read)
    return read.takeError();
  validationSet = std::move(*read);
  for (const auto *side : {&set.data, &set.labels}) {
    auto &other = side == &set.data ? validationSet.data : validationSet.labels;
    for (const auto &[key, array] : *side) {
      auto found = other.find(key);
      if (found == other.end())
        return makeError(ErrorCode::Usage,
                         "validation has no array for '" + key + "'");
      if (found->second.shape().drop_front() != array.shape().drop_front() ||
          found->second.elementType() != array.elementType())
        return makeError(ErrorCode::Invalid,
                         "validation of '" + key + "' is " +
                             files::typeText(found->second.type()) +
                             ", the data is " + files::typeText(array.type()));
    }
  }
  return llvm::Error::success();
}

llvm::Error TrainingData::count() {
  if (options.batchSize > set.rows)
    return makeError(ErrorCode::Usage,
                     "--batch-size=" + std::to_string(options.batchSize) +
                         " is more than the " + std::to_string(set.rows) +
                         " examples");
  batches = set.rows / options.batchSize;
  if (options.shuffle == "none")
    return llvm::Error::success();
  uint64_t seed = options.seed;
  if (!options.shuffle.empty() &&
      StringRef(options.shuffle).getAsInteger(10, seed))
    return makeError(ErrorCode::Usage, "--shuffle is a seed or none, got '" +
                                           options.shuffle + "'");
  shuffle = seed;
  return llvm::Error::success();
}

llvm::Error TrainingData::enterEpoch(int64_t next) {
  epoch = next;
  if (makeEpoch && next != made) {
    auto examples = makeEpoch(next, context);
    if (!examples)
      return examples.takeError();
    if (examples->rows < batches * options.batchSize)
      return makeError(ErrorCode::Run,
                       "epoch " + std::to_string(next) + " has " +
                           std::to_string(examples->rows) +
                           " examples, fewer than its steps take");
    set = std::move(*examples);
    made = next;
  }
  if (!shuffle)
    return llvm::Error::success();
  auto drawn = permutation(context, *shuffle, epoch, set.rows);
  if (!drawn)
    return drawn.takeError();
  order = std::move(*drawn);
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>>
TrainingData::batch(int64_t step, const BuiltStep &program) {
  if (epochOf(step) != epoch)
    if (llvm::Error error = enterEpoch(epochOf(step)))
      return std::move(error);
  int64_t rows = options.batchSize, first = step % batches * rows;
  std::vector<Tensor> batch;
  for (const Tensor &column : set.columns(program.data, program.labels))
    batch.push_back(order.empty()
                        ? rowsOf(column, first, rows)
                        : gatherRows(column, ArrayRef(order).slice(
                                                 size_t(first), size_t(rows))));
  return batch;
}

} // namespace zenith::training
