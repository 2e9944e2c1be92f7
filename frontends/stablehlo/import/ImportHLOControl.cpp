// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of control, calls, tuples and barriers.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static void whileRule(OpReading &x) {
  SmallVector<Type> types = x.program.typesOf(x.op->getResultTypes(), x.loc);
  if (x.failed())
    return;
  auto loop = x.create<graph::WhileOp>(types, x.flatInputs());
  x.program.importRegion(x.op->getRegion(0), loop.getCondition(), types);
  x.program.importRegion(x.op->getRegion(1), loop.getBody(), types, types);
  if (!x.failed())
    x.outFlat(loop.getResults());
}

static void ifRule(OpReading &x) {
  SmallVector<Type> types = x.program.typesOf(x.op->getResultTypes(), x.loc);
  Value pred = x.in();
  if (x.failed())
    return;
  auto branch = x.create<graph::IfOp>(types, pred);
  x.program.importRegion(x.op->getRegion(0), branch.getThenRegion(), {}, types);
  x.program.importRegion(x.op->getRegion(1), branch.getElseRegion(), {}, types);
  if (!x.failed())
    x.outFlat(branch.getResults());
}

static void caseRule(OpReading &x) {
  SmallVector<Type> types = x.program.typesOf(x.op->getResultTypes(), x.loc);
  Value index = x.in();
  if (x.failed())
    return;
  auto branch = x.create<graph::CaseOp>(types, index, x.op->getNumRegions());
  for (auto [from, to] :
       llvm::zip_equal(x.op->getRegions(), branch.getBranches()))
    x.program.importRegion(from, to, {}, types);
  if (!x.failed())
    x.outFlat(branch.getResults());
}

static void callByName(OpReading &x, StringRef attribute) {
  auto name = x.attr<FlatSymbolRefAttr>(attribute);
  if (!name)
    return;
  // Shardings of a function's values are named by the function.
  if (x.program.shardings.isSharded() && !x.program.liftedLike)
    if (auto results =
            x.program.callFunction(name.getValue(), x.flatInputs(), x.loc))
      return x.outFlat(*results);
  Values results =
      x.program.inlineFunction(name.getValue(), x.flatInputs(), x.loc);
  if (!x.failed())
    x.outFlat(results);
}
static void callRule(OpReading &x) { callByName(x, "callee"); }
static void compositeRule(OpReading &x) { callByName(x, "decomposition"); }

// Scalars of the region represent whole tensors.
static void mapRule(OpReading &x) {
  if (x.inputs() == 0)
    return x.invalid("has no operand");
  Values inputs = x.ins(0, x.inputs());
  Value outer = std::exchange(x.program.liftedLike, inputs[0]);
  Values results = x.program.inlineBlock(x.op->getRegion(0).front(), inputs);
  x.program.liftedLike = outer;
  if (x.failed())
    return;
  if (rankOf(results[0]) == 0)
    results[0] = x.spread(results[0], inputs[0]);
  x.out(results);
}

static void barrierRule(OpReading &x) {
  Values inputs = x.flatInputs();
  if (inputs.empty())
    return x.outFlat({});
  x.outFlat(x.create<graph::BarrierOp>(ValueRange(inputs).getTypes(), inputs)
                .getResults());
}

static void tupleRule(OpReading &x) { x.outFlat(x.flatInputs()); }

static void tupleElementRule(OpReading &x) {
  auto tuple = dyn_cast<TupleType>(x.op->getOperand(0).getType());
  int64_t index = x.intAttribute("index");
  if (!tuple || index < 0 || index >= int64_t(tuple.size()))
    return x.invalid("has an index out of range");
  size_t first = 0;
  for (int64_t i = 0; i < index; ++i)
    first += x.program.typesOf(tuple.getType(i), x.loc).size();
  Values parts = x.flatInputs();
  x.outFlat(ValueRange(parts).drop_front(first));
}

void stablehlo::addControlRules(RuleTable &rules) {
  rules["stablehlo.while"] = whileRule;
  rules["stablehlo.if"] = ifRule;
  rules["stablehlo.case"] = caseRule;
  rules["func.call"] = callRule;
  rules["stablehlo.composite"] = compositeRule;
  rules["stablehlo.map"] = mapRule;
  rules["stablehlo.optimization_barrier"] = barrierRule;
  rules["stablehlo.tuple"] = tupleRule;
  rules["stablehlo.get_tuple_element"] = tupleElementRule;
}
