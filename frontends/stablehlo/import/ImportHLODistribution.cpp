// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ops between devices for a program of one device, and of tokens.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static void identityRule(OpReading &x) { x.outFlat(x.flatInputs()); }

// Device 0 of one device.
static void idRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (!x.failed())
    x.out(x.scalar(type.getElementType(), 0));
}

// Every group has one member, so each device keeps its own data.
static void collectiveRule(OpReading &x) {
  auto groups = x.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!groups || groups.getNumElements() > 1)
    return x.unsupported("over several devices is not supported");
  if (!llvm::equal(x.op->getOperandTypes(), x.op->getResultTypes()))
    return x.unsupported("over several devices is not supported");
  identityRule(x);
}

// From device 0 to itself, or zeros if no device sends to it.
static void permuteRule(OpReading &x) {
  SmallVector<int64_t> pairs = x.list("source_target_pairs");
  if (llvm::any_of(pairs, [](int64_t device) { return device != 0; }))
    return x.unsupported("over several devices is not supported");
  x.out(pairs.empty() ? x.filled(x.in(), 0) : x.in());
}

void stablehlo::addDistributionRules(RuleTable &rules) {
  rules["stablehlo.partition_id"] = idRule;
  rules["stablehlo.replica_id"] = idRule;
  for (StringRef name :
       {"stablehlo.all_gather", "stablehlo.all_reduce",
        "stablehlo.reduce_scatter", "stablehlo.all_to_all",
        "stablehlo.collective_broadcast", "stablehlo.collective_reduce",
        "stablehlo.cross-replica-sum"})
    rules[name] = collectiveRule;
  rules["stablehlo.collective_permute"] = permuteRule;
  // Tokens carry no value.
  rules["stablehlo.create_token"] = [](OpReading &x) { x.outFlat({}); };
  rules["stablehlo.after_all"] = [](OpReading &x) { x.outFlat({}); };
}
