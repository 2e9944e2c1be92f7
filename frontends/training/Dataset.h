// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples of a training: the rows of several arrays, and batches of them.

#ifndef ZENITH_FRONTENDS_TRAINING_DATASET_H
#define ZENITH_FRONTENDS_TRAINING_DATASET_H

#include "frontends/models/BindInputs.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace zenith::training {

/// Arrays of as many rows each, by key.
struct Dataset {
  std::map<std::string, Tensor> data, labels;
  int64_t rows = 0;

  /// Reads files. Errors: Usage where a key is given twice, Invalid where
  /// numbers of rows differ (both are said) or a scalar has none.
  static llvm::Expected<Dataset>
  read(const std::vector<models::KeyedFile> &data,
       const std::vector<models::KeyedFile> &labels, const char *dataOption,
       const char *labelOption, mlir::MLIRContext *context);

  /// Takes the last `count` rows away, as a dataset of their own.
  Dataset splitLast(int64_t count);
  /// The arrays of `dataKeys`, then of `labelKeys`, in this order.
  std::vector<Tensor> columns(llvm::ArrayRef<std::string> dataKeys,
                              llvm::ArrayRef<std::string> labelKeys) const;
};

/// Rows `first` to `first + count` of an array, which they view.
Tensor rowsOf(const Tensor &array, int64_t first, int64_t count);
/// The rows of these numbers, copied.
Tensor gatherRows(const Tensor &array, llvm::ArrayRef<int64_t> rows);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_DATASET_H
