// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of sort and top_k.

#include "frontends/stablehlo/import/OrderingReading.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// The direction of a comparator that compares the first operand's scalars, and
// nothing else.
static std::optional<ComparisonDirection> plainComparator(Region &region) {
  Block &block = region.front();
  if (block.getOperations().size() != 2 || block.getNumArguments() < 2)
    return std::nullopt;
  Operation &compare = block.front();
  auto direction =
      compare.getAttrOfType<ComparisonDirectionAttr>("comparison_direction");
  bool plain = direction && compare.getNumOperands() == 2 &&
               compare.getOperand(0) == block.getArgument(0) &&
               compare.getOperand(1) == block.getArgument(1) &&
               block.back().getNumOperands() == 1 &&
               block.back().getOperand(0) == compare.getResult(0);
  return plain ? std::optional(direction.getValue()) : std::nullopt;
}

// Operands of one shape in the order of a comparator.
static Values sorted(OpReading &x, const Values &inputs, int64_t dim,
                     Region &comparator) {
  auto direction = plainComparator(comparator);
  // Integers have one order; floats differ in NaN and zeros.
  if (direction && isa<IntegerType>(elementOf(inputs[0])) &&
      (*direction == ComparisonDirection::LT ||
       *direction == ComparisonDirection::GT))
    return x
        .create<graph::SortOp>(ValueRange(inputs).getTypes(), inputs,
                               uint64_t(dim), uint64_t(1),
                               *direction == ComparisonDirection::GT)
        .getResults();
  SmallVector<Type> scalars =
      x.program.typesOf(comparator.front().getArgumentTypes(), x.loc);
  if (x.failed())
    return {};
  auto sort = x.create<graph::SortWithOp>(ValueRange(inputs).getTypes(), inputs,
                                          uint64_t(dim));
  x.program.importRegion(comparator, sort.getComparator(), scalars);
  return sort.getResults();
}

static void sortRule(OpReading &x) {
  Values inputs = x.ins(0, x.inputs());
  Region &comparator = x.op->getRegion(0);
  if (inputs.empty() || !comparator.hasOneBlock())
    return x.invalid("lacks an operand or a comparator");
  int64_t rank = rankOf(inputs[0]), dim = x.intAttribute("dimension", -1);
  dim = dim < 0 ? dim + rank : dim;
  if (dim < 0 || dim >= rank)
    return x.invalid("has a dimension out of range");
  Values results = sorted(x, inputs, dim, comparator);
  if (!x.failed())
    x.out(results);
}

// The first elements along `dim`, as many as `shape` says; the other
// dimensions, which may be dynamic, are whole.
static Value firstAlong(OpReading &x, Value value, int64_t dim,
                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes(tensorTypeOf(value).getShape());
  sizes[dim] = shape[dim];
  Values dynamic;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      dynamic.push_back(x.dim(value, int64_t(i)));
  SmallVector<int64_t> zeros(sizes.size(), 0), ones(sizes.size(), 1);
  return x.make<graph::SliceOp>(RankedTensorType::get(sizes, elementOf(value)),
                                value, ValueRange(), dynamic, zeros, sizes,
                                ones);
}

// Operands: values and their indices, a fill value for each, then shapes of
// dynamic results. The exact top k satisfies every recall.
void stablehlo::importApproxTopK(OpReading &x) {
  auto calls = x.op->getAttrOfType<ArrayAttr>("called_computations");
  auto symbol = calls && calls.size() == 1
                    ? dyn_cast<FlatSymbolRefAttr>(calls[0])
                    : FlatSymbolRefAttr();
  auto comparator =
      symbol ? x.program.function(symbol.getValue()) : mlir::func::FuncOp();
  auto config = x.op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto along =
      config ? config.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  auto shapeOperands =
      x.op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
  unsigned count = x.op->getNumResults(),
           shapes = shapeOperands ? shapeOperands.size() : 0;
  if (!comparator || !comparator.getBody().hasOneBlock() || !along ||
      count == 0 || x.inputs() != 2 * count + shapes)
    return x.unsupported("@ApproxTopK of this form is not supported");
  Values inputs = x.ins(0, count), best;
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  int64_t dim = along.getValue().getSExtValue();
  if (dim < 0 || dim >= rankOf(inputs[0]) ||
      type.getRank() != rankOf(inputs[0]) || type.isDynamicDim(dim) ||
      (!tensorTypeOf(inputs[0]).isDynamicDim(dim) &&
       type.getDimSize(dim) > tensorTypeOf(inputs[0]).getDimSize(dim)))
    return x.unsupported("@ApproxTopK of this shape is not supported");
  for (Value value : sorted(x, inputs, dim, comparator.getBody()))
    best.push_back(firstAlong(x, value, dim, type.getShape()));
  if (!x.failed())
    x.out(best);
}

// graph.top_k takes zeros of both signs to be equal, and NaN too; JAX's order
// is the total one.
static void topKRule(OpReading &x) {
  Value operand = x.in();
  RankedTensorType values = x.type(0), indices = x.type(1);
  if (x.failed())
    return;
  if (rankOf(operand) == 0)
    return x.invalid("takes a scalar");
  int64_t dim = rankOf(operand) - 1;
  Type element = elementOf(operand);
  bool isFloat = isa<FloatType>(element);
  Value keys = isFloat ? totalOrderKeys(x, operand) : operand;
  auto topK = x.create<graph::TopKOp>(
      RankedTensorType::get(values.getShape(), elementOf(keys)),
      RankedTensorType::get(values.getShape(), x.b.getI64Type()), keys, Value(),
      uint64_t(dim));
  Value best = topK.getValues();
  x.out(Values{isFloat ? floatsOfKeys(x, best, element) : best,
               x.convert(topK.getIndices(), indices.getElementType())});
}

void stablehlo::addOrderingRules(RuleTable &rules) {
  rules["stablehlo.sort"] = sortRule;
  rules["chlo.top_k"] = topKRule;
}
