// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows tensors to a person: name, type and the first elements.

#ifndef ZENITH_TOOLS_RUN_PRINTRESULTS_H
#define ZENITH_TOOLS_RUN_PRINTRESULTS_H

#include "ir/tensor/Tensor.h"

namespace llvm {
class raw_ostream;
}

namespace zenith::tools {

/// One line per row of the last dimension, at most `maxElements` elements in
/// all; says how many were left out.
void printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                 const Tensor &tensor, int64_t maxElements);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_PRINTRESULTS_H
