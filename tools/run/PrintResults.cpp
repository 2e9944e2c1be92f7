// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows tensors to a person: name, type and the first elements.

#include "tools/run/PrintResults.h"

#include "ir/tensor/Scalar.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace zenith::tools {

static void printElement(llvm::raw_ostream &os, const interpreter::Scalar &x) {
  if (x.kind == interpreter::Scalar::Kind::Float)
    os << llvm::format("%.6g", x.real);
  else
    os << x.str();
}

void printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                 const Tensor &tensor, int64_t maxElements) {
  os << name << " : " << tensor.type() << "\n";
  int64_t columns = tensor.shape().empty() ? 1 : tensor.shape().back();
  int64_t shown = std::min(tensor.size(), maxElements);
  for (int64_t i = 0; i < shown; ++i) {
    os << (i % columns ? " " : "  ");
    printElement(os, interpreter::elementAt(tensor, i));
    if (i + 1 == shown || (i + 1) % columns == 0)
      os << "\n";
  }
  if (shown < tensor.size())
    os << "  (" << tensor.size() - shown << " more)\n";
}

} // namespace zenith::tools
