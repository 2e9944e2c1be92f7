// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk per block with the messages that are still open.

#include "passes/sharding/partition/MergeReductions.h"

#include "ir/CollectiveOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/sharding/partition/Layout.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static constexpr int64_t largestMessage = int64_t(4) << 20;

namespace {
/// All_reduces that may become one.
struct Message {
  llvm::SmallVector<graph::AllReduceOp> members;
  /// The members, and ops of the block that need a result of one.
  llvm::DenseSet<Operation *> readers;
  int64_t bytes = 0;
};
} // namespace

static bool sameGroup(graph::AllReduceOp a, graph::AllReduceOp b) {
  return a.getKindAttr() == b.getKindAttr() &&
         a.getMeshAttr() == b.getMeshAttr() &&
         a.getAxesAttr() == b.getAxesAttr() &&
         a.getGroupsAttr() == b.getGroupsAttr();
}

// Whether `op`, or an op inside of it, reads a result of `others`.
static bool reads(Operation *op, const llvm::DenseSet<Operation *> &others) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (others.contains(operand.getDefiningOp()))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

// One op at the last member's place, then what reads the earlier ones.
static void build(const Message &message) {
  graph::AllReduceOp last = message.members.back();
  if (message.members.size() == 1)
    return;
  SmallVector<Value> inputs;
  for (graph::AllReduceOp member : message.members)
    llvm::append_range(inputs, member.getInputs());
  OpBuilder b(last);
  SmallVector<Location> places;
  llvm::SetVector<StringRef> reasons;
  for (graph::AllReduceOp member : message.members) {
    places.push_back(member.getLoc());
    if (auto reason = member->getAttrOfType<StringAttr>(reasonAttrName))
      reasons.insert(reason.getValue());
  }
  auto merged = b.create<graph::AllReduceOp>(
      b.getFusedLoc(places), ValueRange(inputs).getTypes(), inputs,
      last.getKindAttr(), last.getMeshAttr(), last.getAxesAttr(),
      last.getGroupsAttr(), 0);
  if (!reasons.empty())
    merged->setAttr(reasonAttrName, b.getStringAttr(llvm::join(reasons, "; ")));
  Operation *place = merged;
  for (Operation *op = message.members.front()->getNextNode(); op != merged;) {
    Operation *next = op->getNextNode();
    if (message.readers.contains(op)) {
      op->moveAfter(place);
      place = op;
    }
    op = next;
  }
  unsigned at = 0;
  for (graph::AllReduceOp member : message.members) {
    member->replaceAllUsesWith(
        merged.getResults().slice(at, member.getNumResults()));
    at += member.getNumResults();
    member.erase();
  }
}

static void mergeIn(Block &block) {
  SmallVector<Message> open;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto reduction = dyn_cast<graph::AllReduceOp>(op);
    bool isCandidate =
        reduction && reduction.getKind() && reduction->getNumRegions() == 0;
    // A member must not move, nor what has an effect.
    bool stays = isCandidate || !isMemoryEffectFree(&op);
    llvm::erase_if(open, [&](Message &message) {
      if (!reads(&op, message.readers))
        return false;
      if (stays)
        build(message);
      else
        message.readers.insert(&op);
      return stays;
    });
    if (!isCandidate)
      continue;
    int64_t bytes = 0;
    for (Value input : reduction.getInputs())
      bytes += bytesOf(input.getType());
    auto *same = llvm::find_if(open, [&](const Message &message) {
      return sameGroup(message.members.front(), reduction);
    });
    if (same != open.end() && same->bytes + bytes > largestMessage) {
      build(*same);
      open.erase(same);
      same = open.end();
    }
    Message &message = same == open.end() ? open.emplace_back() : *same;
    message.members.push_back(reduction);
    message.readers.insert(reduction);
    message.bytes += bytes;
  }
  llvm::for_each(open, build);
}

void zenith::sharding::mergeReductions(Operation *root) {
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    mergeIn(*block);
}
