// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of searches: states are integers.

#include "ir/SearchOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;

namespace zenith::precision {

namespace {
template <typename Op>
struct SearchPrecision : PrecisionRule::ExternalModel<SearchPrecision<Op>, Op> {
  List list(Operation *) const { return List::None; }
  StringRef unlisted(Operation *) const { return "computes on integers"; }
};
} // namespace

void attachSearchPrecision(MLIRContext *context) {
  graph::attachAll<SearchPrecision,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
                   >(context);
}

} // namespace zenith::precision
