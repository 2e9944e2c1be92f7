// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as unsigned integers in the order of the values, on which sorting,
// selecting and comparing rows work.

#ifndef ZENITH_IR_INTERPRETER_ORDERKEYS_H
#define ZENITH_IR_INTERPRETER_ORDERKEYS_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

/// One ui64 per element, two for a complex one (real part first). Equal values
/// have equal keys: -0 has the key of 0, and all NaN one key above all other
/// values.
llvm::Expected<Tensor> orderKeys(const OpEvaluation &e, const Tensor &tensor);

/// The rows of a tensor (its parts along dimension 0) as lists of keys.
struct KeyRows {
  Tensor keys;
  int64_t count = 0, length = 0;
  llvm::ArrayRef<uint64_t> row(int64_t index) const {
    return elementsOf<uint64_t>(keys).slice(size_t(index * length),
                                            size_t(length));
  }
};
llvm::Expected<KeyRows> keyRows(const OpEvaluation &e, const Tensor &tensor);

// Ops of the Ordering family that compare rows or elements of sets.
llvm::Expected<Results> evaluateUnique(const OpEvaluation &e);
llvm::Expected<Results> evaluateCompact(const OpEvaluation &e);
llvm::Expected<Results> evaluateSearchSorted(const OpEvaluation &e);
llvm::Expected<Results> evaluateIsIn(const OpEvaluation &e);
llvm::Expected<Results> evaluateHash(const OpEvaluation &e);
llvm::Expected<Results> evaluateNonMaxSuppression(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_ORDERKEYS_H
