// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on sets of keys, which stay whole.

#include "ir/SearchOps.h"
#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

template <typename Op>
struct SetSharding : RefusedSharding<SetSharding<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "works on a set of keys as a whole";
  }
};

} // namespace

void attachSearchShardings(MLIRContext *context) {
  using namespace search;
  attachAll<SetSharding,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
            >(context);
}

} // namespace zenith::sharding
