// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of ops on sets of keys: none has a batched form.

#include "ir/SearchOps.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;

namespace zenith::batching {
namespace {

template <typename Op>
struct SearchBatching : RefusedBatching<SearchBatching<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "works on one set of keys or bits, whose size depends on data";
  }
};

} // namespace

void attachSearchBatching(MLIRContext *context) {
  graph::attachAll<SearchBatching,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
                   >(context);
}

} // namespace zenith::batching
