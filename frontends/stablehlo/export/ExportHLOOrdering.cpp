// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting, selecting and membership of GraphIR in terms of sort, compare and
// reduce. Ops with data-dependent row counts have no counterpart.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static Operation *makeSort(HLOExport &out, ValueRange inputs, int64_t dim) {
  return out.makeOp("stablehlo.sort", inputs.getTypes(), inputs,
                    {out.intAttribute("dimension", dim),
                     out.named("is_stable", out.builder.getBoolAttr(true))},
                    1);
}

// A comparator over the first `keys` of the operands.
static void compareKeys(HLOExport &out, Operation *sort, unsigned keys,
                        bool descending) {
  OpBuilder::InsertionGuard guard(out.builder);
  Block &body = sort->getRegion(0).emplaceBlock();
  for (Type type : sort->getOperandTypes()) {
    Type scalar = RankedTensorType::get(
        {}, cast<RankedTensorType>(type).getElementType());
    body.addArguments({scalar, scalar}, {out.loc, out.loc});
  }
  out.builder.setInsertionPointToEnd(&body);
  Value result;
  for (unsigned i = keys; i-- > 0;) {
    Value a = body.getArgument(2 * i), b = body.getArgument(2 * i + 1);
    Value first = descending ? out.before(b, a) : out.before(a, b);
    result =
        result ? out.binary("stablehlo.or", first,
                            out.binary("stablehlo.and", out.same(a, b), result))
               : first;
  }
  out.makeOp("stablehlo.return", {}, result);
}

static bool exportSort(HLOExport &out, Operation *op) {
  auto sort = cast<graph::SortOp>(op);
  Operation *made = makeSort(out, out.list(op->getOperands()), sort.getDim());
  compareKeys(out, made, sort.getNumKeys(), sort.getDescending());
  out.set(op, made->getResults());
  return true;
}

static bool exportSortWith(HLOExport &out, Operation *op) {
  auto sort = cast<graph::SortWithOp>(op);
  Operation *made = makeSort(out, out.list(op->getOperands()), sort.getDim());
  out.set(op, made->getResults());
  return out.region(sort.getComparator(), made->getRegion(0));
}

static bool exportTopK(HLOExport &out, Operation *op) {
  auto top = cast<graph::TopKOp>(op);
  Value value = out.operand(op);
  RankedTensorType type = tensorType(value);
  Value indices = out.positions(value, out.builder.getI64Type(), top.getDim());
  Operation *made = makeSort(out, {value, indices}, top.getDim());
  compareKeys(out, made, 1, !top.getSmallest());
  SmallVector<int64_t> starts(type.getRank(), 0), ones(type.getRank(), 1);
  llvm::ArrayRef<int64_t> limits = tensorType(top.getValues()).getShape();
  Value results[] = {out.slice(made->getResult(0), starts, limits, ones),
                     out.slice(made->getResult(1), starts, limits, ones)};
  out.set(op, results);
  return true;
}

// Every query is compared with every element of the list.
static bool exportSearchSorted(HLOExport &out, Operation *op) {
  auto search = cast<graph::SearchSortedOp>(op);
  Value list = out.operand(op, 0), queries = out.operand(op, 1);
  RankedTensorType type = tensorType(queries);
  SmallVector<int64_t> shape(type.getShape()), mapping;
  for (int64_t i = 0; i < type.getRank(); ++i)
    mapping.push_back(i);
  shape.push_back(tensorType(list).getDimSize(0));
  Value lists = out.broadcast(list, shape, type.getRank());
  Value wanted = out.broadcast(queries, shape, mapping);
  // `right` counts the elements that are not above the query.
  Value below = out.before(search.getRight() ? wanted : lists,
                           search.getRight() ? lists : wanted);
  if (search.getRight())
    below = out.make("stablehlo.not", below.getType(), below);
  Type i64 = out.builder.getI64Type();
  Value zero = out.splat(RankedTensorType::get({}, i64), 0);
  out.set(op, out.reduce("stablehlo.add", out.convert(below, i64), zero,
                         type.getRank()));
  return true;
}

// Every row is compared with every row of the set.
static bool exportIsIn(HLOExport &out, Operation *op) {
  Value value = out.operand(op, 0), set = out.operand(op, 1);
  RankedTensorType type = tensorType(value);
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape()), own{0}, other, row;
  shape.insert(shape.begin() + 1, tensorType(set).getDimSize(0));
  for (int64_t i = 1; i <= rank; ++i) {
    if (i > 1) {
      own.push_back(i);
      row.push_back(i);
    }
    other.push_back(i);
  }
  Value equal = out.same(out.broadcast(value, shape, own),
                         out.broadcast(set, shape, other));
  auto scalar = RankedTensorType::get({}, out.builder.getI1Type());
  if (!row.empty())
    equal = out.reduce("stablehlo.and", equal, out.splat(scalar, -1), row);
  out.set(op, out.reduce("stablehlo.or", equal, out.splat(scalar, 0), 1));
  return true;
}

void zenith::stablehlo::addOrderingExports(ExportRules &rules) {
  rules["graph.sort"] = exportSort;
  rules["graph.sort_with"] = exportSortWith;
  rules["graph.top_k"] = exportTopK;
  rules["graph.searchsorted"] = exportSearchSorted;
  rules["graph.is_in"] = exportIsIn;
}
