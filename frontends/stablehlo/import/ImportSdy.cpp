// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of what programs say about shardings: Shardy's ops, GSPMD's calls, and
// annotations of other ops. In a program of one device all are the identity.

#include "frontends/stablehlo/import/OpReading.h"
#include "ir/LLVMError.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// The value of what was read, or the error at the op.
template <typename T>
static std::optional<T> take(OpReading &x, llvm::Expected<T> read) {
  if (read)
    return std::move(*read);
  x.program.failWith(read.takeError(), x.loc);
  return std::nullopt;
}

template <typename Op> static void constraintRule(OpReading &x) {
  if (!x.program.shardings.isSharded())
    return x.out(x.in());
  auto sharding = take(x, x.program.shardings.read(x.op->getAttr("sharding")));
  if (sharding)
    x.out(x.make<Op>(x.in().getType(), x.in(), *sharding));
}

static void groupRule(OpReading &x) {
  if (x.program.shardings.isSharded())
    x.create<graph::ShardGroupOp>(x.in(), uint64_t(x.intAttribute("group_id")));
}

static void barrierRule(OpReading &x) {
  auto word = x.attr<StringAttr>("allowed_direction");
  if (x.failed())
    return;
  if (!x.program.shardings.isSharded() || word == "BOTH")
    return x.out(x.in());
  auto direction = graph::symbolizeShardDirection(word.getValue().lower());
  if (!direction)
    return x.invalid("allowed_direction: expected NONE, FORWARD, BACKWARD or "
                     "BOTH");
  x.out(x.make<graph::ShardBarrierOp>(x.in().getType(), x.in(), *direction));
}

static void manualRule(OpReading &x) {
  if (!x.program.shardings.isSharded())
    return x.outFlat(
        x.program.inlineBlock(x.op->getRegion(0).front(), x.flatInputs()));
  ShardingReading &read = x.program.shardings;
  auto inputs = take(x, read.readList(x.op->getAttr("in_shardings")));
  if (!inputs)
    return;
  auto outputs = take(x, read.readList(x.op->getAttr("out_shardings")));
  if (!outputs)
    return;
  auto axes = take(x, read.readAxes(x.op->getAttr("manual_axes")));
  SmallVector<Type> results = x.program.typesOf(x.op->getResultTypes(), x.loc);
  SmallVector<Type> arguments =
      x.program.typesOf(x.op->getRegion(0).front().getArgumentTypes(), x.loc);
  if (!axes || x.failed())
    return;
  auto list = [&](ArrayRef<graph::ShardingAttr> shardings) {
    return x.b.getArrayAttr(
        SmallVector<Attribute>(shardings.begin(), shardings.end()));
  };
  auto manual = x.create<graph::ManualOp>(results, x.flatInputs(),
                                          list(*inputs), list(*outputs), *axes);
  x.program.importRegion(x.op->getRegion(0), manual.getBody(), arguments);
  if (!x.failed())
    x.outFlat(manual.getResults());
}

// `@Sharding` of GSPMD, with the string beside it.
void stablehlo::importShardingCall(OpReading &x) {
  auto text = x.op->getAttrOfType<StringAttr>("mhlo.sharding");
  if (!x.program.shardings.isSharded() || !text || x.inputs() != 1)
    return x.outFlat(x.flatInputs());
  auto sharding = take(x, x.program.shardings.readTiling(text, rankOf(x.in())));
  if (!sharding)
    return;
  x.out(*sharding ? x.make<graph::ShardOp>(x.in().getType(), x.in(), *sharding)
                  : x.in());
}

// The bounds of a manual region in GSPMD's form.
void stablehlo::importShardShapeCall(OpReading &x) {
  if (!x.program.shardings.isSharded())
    return x.outFlat(x.flatInputs());
  x.unsupported("bounds a manual region in GSPMD's form, which is not "
                "supported; sdy.manual_computation is");
}

//===----------------------------------------------------------------------===//
// Annotations of other ops
//===----------------------------------------------------------------------===//

// `before` is the last op before the import of `op`: results that are older
// became another value's name.
static bool isNewer(Operation *op, Operation *before, Block *block) {
  if (op->getBlock() != block)
    return false;
  return !before || before->isBeforeInBlock(op);
}

void stablehlo::annotateResults(OpReading &x, Operation *before) {
  ShardingReading &read = x.program.shardings;
  if (!(read.isSharded() || x.program.keepsValues) || x.failed())
    return;
  Block *block = x.program.builder.getInsertionBlock();
  SmallVector<graph::ShardingAttr> stated;
  if (Attribute list = x.op->getAttr("sdy.sharding")) {
    auto shardings = take(x, read.readList(list));
    if (!shardings)
      return;
    stated = *shardings;
  }
  auto rule = x.op->getAttrOfType<sdy::TextAttr>("sdy.sharding_rule");
  for (auto [i, result] : llvm::enumerate(x.op->getResults())) {
    Values values = x.program.valuesOf(result);
    if (values.size() != 1)
      continue;
    Value value = values.front();
    Operation *op = value.getDefiningOp();
    // A value of its own, so that it may have a name and a sharding.
    if (!op || !isNewer(op, before, block)) {
      if (rankOf(value) == 0 || !tensorTypeOf(value).hasStaticShape())
        continue;
      value = x.make<graph::ReshapeOp>(value.getType(), value, ValueRange());
      x.program.setValues(result, {value});
      op = value.getDefiningOp();
    }
    if (x.op->getNumResults() > 1 && op->getNumResults() == 1)
      if (auto name = dyn_cast<NameLoc>(x.loc))
        op->setLoc(NameLoc::get(
            x.b.getStringAttr(name.getName().getValue() + "#" + Twine(i))));
    if (i < stated.size() && rankOf(value) == stated[i].getRank())
      graph::setSharding(value, stated[i]);
    if (StringRef text = rule ? rule.getText() : StringRef();
        text.consume_front("op_sharding_rule"))
      op->setAttr("graph.sharding_rule", x.b.getStringAttr(text));
  }
}

void stablehlo::addSdyRules(RuleTable &rules) {
  rules["sdy.sharding_constraint"] = constraintRule<graph::ShardOp>;
  rules["sdy.reshard"] = constraintRule<graph::ReshardOp>;
  rules["sdy.sharding_group"] = groupRule;
  rules["sdy.propagation_barrier"] = barrierRule;
  rules["sdy.manual_computation"] = manualRule;
}
