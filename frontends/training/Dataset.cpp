// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arrays of examples, and takes rows of them.

#include "frontends/training/Dataset.h"

#include "ir/LLVMError.h"

#include <cstring>

using namespace mlir;

namespace zenith::training {

static llvm::Error readArrays(const std::vector<models::KeyedFile> &files,
                              const std::string &option, MLIRContext *context,
                              std::map<std::string, Tensor> &arrays,
                              std::string &first, int64_t &rows) {
  for (const models::KeyedFile &file : files) {
    llvm::Expected<Tensor> array =
        models::readKeyedFile(file, /*element=*/{}, context);
    if (!array)
      return array.takeError();
    std::string name = option + " " + file.key;
    if (array->shape().empty())
      return makeError(ErrorCode::Invalid, name + ": a scalar has no examples",
                       file.file);
    int64_t count = array->shape()[0];
    if (first.empty()) {
      first = name;
      rows = count;
    }
    if (count != rows)
      return makeError(ErrorCode::Invalid,
                       name + " has " + std::to_string(count) + " examples, " +
                           first + " has " + std::to_string(rows));
    if (!arrays.emplace(file.key, std::move(*array)).second)
      return makeError(ErrorCode::Usage, name + " is given twice");
  }
  return llvm::Error::success();
}

llvm::Expected<Dataset>
Dataset::read(const std::vector<models::KeyedFile> &data,
              const std::vector<models::KeyedFile> &labels,
              const char *dataOption, const char *labelOption,
              MLIRContext *context) {
  Dataset set;
  std::string first;
  if (llvm::Error error =
          readArrays(data, dataOption, context, set.data, first, set.rows))
    return std::move(error);
  if (llvm::Error error =
          readArrays(labels, labelOption, context, set.labels, first, set.rows))
    return std::move(error);
  return set;
}

Tensor rowsOf(const Tensor &array, int64_t first, int64_t count) {
  SmallVector<int64_t> shape(array.shape());
  int64_t bytes = shape[0] ? array.byteSize() / shape[0] : 0;
  shape[0] = count;
  // The view keeps the array alive.
  auto owner = std::make_shared<Tensor>(array);
  return Tensor(array.type().clone(shape), owner->bytes() + first * bytes,
                owner);
}

Tensor gatherRows(const Tensor &array, ArrayRef<int64_t> rows) {
  SmallVector<int64_t> shape(array.shape());
  int64_t bytes = shape[0] ? array.byteSize() / shape[0] : 0;
  shape[0] = int64_t(rows.size());
  Tensor result(array.type().clone(shape));
  char *to = result.writable();
  for (auto [i, row] : llvm::enumerate(rows))
    std::memcpy(to + int64_t(i) * bytes, array.bytes() + row * bytes,
                size_t(bytes));
  return result;
}

Dataset Dataset::splitLast(int64_t count) {
  Dataset last;
  last.rows = count;
  rows -= count;
  for (auto *side : {&data, &labels})
    for (auto &[key, array] : *side) {
      auto &to = side == &data ? last.data : last.labels;
      to[key] = rowsOf(array, rows, count);
      array = rowsOf(array, 0, rows);
    }
  return last;
}

std::vector<Tensor> Dataset::columns(ArrayRef<std::string> dataKeys,
                                     ArrayRef<std::string> labelKeys) const {
  std::vector<Tensor> result;
  for (const std::string &key : dataKeys)
    result.push_back(data.at(key));
  for (const std::string &key : labelKeys)
    result.push_back(labels.at(key));
  return result;
}

} // namespace zenith::training
