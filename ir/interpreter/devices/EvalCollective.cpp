// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Collective family: the ops on the values of all devices that
// unrolling makes of it, so that both agree bit for bit.

#include "ir/interpreter/devices/EvalCollective.h"

#include "ir/CollectiveOps.h"
#include "ir/devices/UnrollCollectives.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using graph::DeviceList;
using llvm::Expected;

DeviceList zenith::interpreter::metBy(Operation *op,
                                      ArrayRef<DeviceList> groups,
                                      int64_t device) {
  DeviceList members{device};
  if (isa<graph::AxisIndexOp>(op))
    return members;
  // Pairs may form chains; groups are disjoint.
  for (size_t known = 0; known != members.size();) {
    known = members.size();
    for (const DeviceList &group : groups) {
      bool isTied = llvm::any_of(group, [&](int64_t other) {
        return llvm::is_contained(members, other);
      });
      for (int64_t other : group)
        if (isTied && !llvm::is_contained(members, other))
          members.push_back(other);
    }
  }
  llvm::sort(members);
  return members;
}

Expected<std::vector<Results>> zenith::interpreter::evaluateCollective(
    Operation *op, ArrayRef<DeviceList> groups, ArrayRef<int64_t> members,
    ArrayRef<Results> given, RegionRunner &runner, Evaluate evaluate) {
  Block block;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  llvm::DenseMap<Value, Tensor> values;
  // One argument of the block for each operand of each device.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> own, results;
  for (auto [device, operands] : llvm::zip_equal(members, given))
    for (auto [operand, tensor] :
         llvm::zip_equal(op->getOperands(), operands)) {
      Value &argument = own[{operand, device}];
      if (argument)
        continue;
      argument = block.addArgument(operand.getType(), op->getLoc());
      values[argument] = tensor;
    }
  graph::CollectiveUnrolling unrolling{
      builder,
      op,
      groups,
      members,
      [&](Value value, int64_t device) { return own.lookup({value, device}); },
      [&](Value value, int64_t device, Value result) {
        results[{value, device}] = result;
      }};
  if (llvm::Error error = graph::unrollCollective(unrolling))
    return std::move(error);
  for (Operation &built : block) {
    Results operands;
    for (Value operand : built.getOperands()) {
      auto known = values.find(operand);
      // A region may read values from outside.
      operands.push_back(known == values.end() ? runner.captured(operand)
                                               : known->second);
    }
    Expected<Results> made = evaluate(&built, operands);
    if (!made)
      return made.takeError();
    for (auto [result, tensor] : llvm::zip_equal(built.getResults(), *made))
      values[result] = tensor;
  }
  std::vector<Results> all;
  for (int64_t device : members) {
    all.emplace_back();
    for (Value result : op->getResults())
      all.back().push_back(values.lookup(results.lookup({result, device})));
  }
  return all;
}
