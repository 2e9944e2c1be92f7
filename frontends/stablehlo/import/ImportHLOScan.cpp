// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of chlo.scan as a loop over slices.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// A scan: its inputs are slices along `dim` and loop-carried values; outputs
/// are stacked along `dim`.
struct Scan {
  Values inputs, inits;
  SmallVector<RankedTensorType> outputs; ///< stacked
  int64_t dim = 0, steps = 0;
  bool reversed = false;
};
} // namespace

static Values startsAt(OpReading &x, int64_t rank, int64_t dim, Value step) {
  Values starts(rank, x.index(0));
  if (rank > 0)
    starts[dim] = step;
  return starts;
}

static Value takeSlice(OpReading &x, Value value, int64_t dim, Value step) {
  SmallVector<int64_t> sizes(tensorTypeOf(value).getShape()), rest;
  sizes[dim] = 1;
  rest = sizes;
  rest.erase(rest.begin() + dim);
  Value slice = x.make<graph::DynamicSliceOp>(
      RankedTensorType::get(sizes, elementOf(value)), value,
      startsAt(x, sizes.size(), dim, step));
  return x.reshape(slice, rest);
}

static Value putSlice(OpReading &x, Value stack, Value slice, int64_t dim,
                      Value step) {
  SmallVector<int64_t> sizes(tensorTypeOf(stack).getShape());
  sizes[dim] = 1;
  return x.make<graph::DynamicUpdateSliceOp>(
      stack.getType(), stack, x.reshape(slice, sizes),
      startsAt(x, sizes.size(), dim, step));
}

// One iteration; `carried` holds the scan's state, then the stacked outputs.
static Values turn(OpReading &x, const Scan &scan, Expr step,
                   ValueRange carried) {
  Value at = scan.reversed ? (step.with(x.index(scan.steps - 1)) - step).value
                           : step.value;
  Values arguments;
  for (Value input : scan.inputs)
    arguments.push_back(takeSlice(x, input, scan.dim, at));
  size_t carries = scan.inits.size(), outputs = scan.outputs.size();
  llvm::append_range(arguments, carried.take_front(carries));
  Values results = x.program.inlineBlock(x.op->getRegion(0).front(), arguments);
  if (x.failed() || results.size() != carries + outputs)
    return Values(carried);
  Values next(ArrayRef(results).drop_front(outputs));
  for (size_t i = 0; i < outputs; ++i)
    next.push_back(putSlice(x, carried[carries + i], results[i], scan.dim, at));
  return next;
}

static bool readScan(OpReading &x, Scan &scan) {
  auto segments = x.op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments || segments.size() != 2 || segments[0] < 1) {
    x.invalid("lacks inputs");
    return false;
  }
  scan.inputs = x.ins(0, segments[0]);
  scan.inits = x.ins(segments[0], segments[1]);
  scan.dim = x.intAttribute("dimension");
  scan.reversed = x.flag("is_reverse");
  for (unsigned i = 0; i + scan.inits.size() < x.op->getNumResults(); ++i)
    scan.outputs.push_back(x.type(i));
  for (Value input : scan.inputs)
    if (!tensorTypeOf(input).hasStaticShape()) {
      x.unsupported("of dynamic shapes is not supported");
      return false;
    }
  if (scan.dim < 0 || scan.dim >= rankOf(scan.inputs[0])) {
    x.invalid("has a dimension out of range");
    return false;
  }
  scan.steps = tensorTypeOf(scan.inputs[0]).getDimSize(scan.dim);
  return !x.failed();
}

// Runs `turn` for step 0 to steps - 1 on loop-carried values; gives the last
// ones.
static Values
countedLoop(OpReading &x, int64_t steps, Values carried,
            llvm::function_ref<Values(Expr step, ValueRange carried)> turn) {
  carried.insert(carried.begin(), x.index(0));
  SmallVector<Type> types(ValueRange(carried).getTypes());
  auto loop = x.create<graph::WhileOp>(types, carried);
  SmallVector<Location> locs(types.size(), x.loc);
  OpBuilder::InsertionGuard guard(x.b);
  Block *cond = x.b.createBlock(&loop.getCondition(), {}, types, locs);
  Expr step(x, cond->getArgument(0));
  x.create<graph::YieldOp>(ValueRange{(step < double(steps)).value});
  Block *body = x.b.createBlock(&loop.getBody(), {}, types, locs);
  step = step.with(body->getArgument(0));
  ValueRange arguments = body->getArguments();
  Values next = turn(step, arguments.drop_front());
  next.insert(next.begin(), (step + 1.0).value);
  x.create<graph::YieldOp>(next);
  return Values(loop.getResults().drop_front());
}

static void scanRule(OpReading &x) {
  Scan scan;
  if (!readScan(x, scan))
    return;
  Values carried = scan.inits;
  for (RankedTensorType type : scan.outputs)
    carried.push_back(x.spread(x.scalar(type.getElementType(), 0), type, {}));
  Values last =
      countedLoop(x, scan.steps, carried, [&](Expr step, ValueRange carried) {
        return turn(x, scan, step, carried);
      });
  // Outputs come before the final state.
  size_t carries = scan.inits.size();
  Values results(ArrayRef(last).drop_front(carries));
  llvm::append_range(results, ArrayRef(last).take_front(carries));
  if (!x.failed())
    x.out(results);
}

void stablehlo::addScanRules(RuleTable &rules) {
  rules["chlo.scan"] = scanRule;
}
