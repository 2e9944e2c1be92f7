// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits bodies into regions of their own until the types of loop-carried values
// hold, then makes the op around them.
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/IndexReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// A loop-carried value: the dimensions that all steps share, nothing for
/// dimensions that change.
struct Carried {
  Type element;
  SmallVector<std::optional<DimExpr>> dims;

  RankedTensorType type() const {
    SmallVector<int64_t> shape;
    for (const auto &dim : dims)
      shape.push_back(dim && dim->constant() ? *dim->constant()
                                             : ShapedType::kDynamic);
    return RankedTensorType::get(shape, element);
  }
};

} // namespace

/// A region at the insertion point, in an op that only holds it until the final
/// op can be made.
static graph::CaseOp openRegion(ImportBuilder &b, TypeRange types) {
  Value index = b.scalar(DimExpr(0));
  auto holder = b.builder.create<graph::CaseOp>(b.loc, TypeRange(), index, 1u);
  Block &block = holder.getBranches()[0].emplaceBlock();
  for (Type type : types)
    block.addArgument(type, b.loc);
  return holder;
}

static Block &blockOf(graph::CaseOp holder) {
  return holder.getBranches()[0].front();
}

static void moveInto(Region &region, graph::CaseOp holder) {
  region.takeBody(holder.getBranches()[0]);
  holder.erase();
}

static void assumeShared(ImportBuilder &b, Value value,
                         const Carried &carried) {
  for (auto [index, dim] : llvm::enumerate(carried.dims))
    if (dim && !dim->constant())
      b.assume(value, index, *dim);
}

static void yield(ImportBuilder &b, ValueRange values) {
  b.builder.create<graph::YieldOp>(b.loc, values);
}

/// Compares the values that a step gives with the loop-carried types. True if
/// no type had to be relaxed; a value whose type is less specific than its
/// known shape gets the loop-carried type.
static bool settle(ImportBuilder &b, SmallVector<Carried> &carried,
                   Values &values) {
  if (values.size() != carried.size()) {
    b.fail(invalid(fmt::format("a step gives {} values where it carries {}",
                               values.size(), carried.size())));
    return true;
  }
  bool settled = true;
  for (auto [position, value] : llvm::enumerate(values)) {
    Carried &expected = carried[position];
    DimVector dims = b.dims(value);
    Type element = getElementTypeOrSelf(value.getType());
    if (element != expected.element) {
      b.fail(invalid(fmt::format(
          "carried value {} changes its element type from step to step",
          position)));
      return true;
    }
    if (dims.size() != expected.dims.size()) {
      b.fail(unsupported(fmt::format(
          "carried value {} changes its rank from step to step", position)));
      return true;
    }
    DimVector wanted = dims;
    for (auto [have, want] : llvm::zip_equal(dims, expected.dims)) {
      if (want && *want != have) {
        want.reset();
        settled = false;
      }
    }
    if (settled && expected.type() != value.getType() &&
        cast<RankedTensorType>(value.getType()).getRank() > 0) {
      bool saysLess = false;
      for (auto [known, size] :
           llvm::zip_equal(expected.type().getShape(),
                           cast<RankedTensorType>(value.getType()).getShape()))
        saysLess |=
            !ShapedType::isDynamic(known) && ShapedType::isDynamic(size);
      if (saysLess)
        value = b.reshape(value, wanted);
    }
  }
  return settled;
}

Values zenith::onnx::buildWhile(ImportBuilder &b, ArrayRef<Value> inits,
                                RegionBody condition, RegionBody body) {
  SmallVector<Carried> carried;
  Values starts;
  for (Value init : inits) {
    DimVector dims = b.dims(init);
    // Types may say less than what is known.
    starts.push_back(b.reshape(init, dims));
    carried.push_back(
        {getElementTypeOrSelf(init.getType()), {dims.begin(), dims.end()}});
  }
  auto typesNow = [&] {
    return llvm::map_to_vector(
        carried, [](const Carried &value) -> Type { return value.type(); });
  };
  // Emits `inside` into a new region; true if its values have the assumed
  // types.
  auto attempt = [&](graph::CaseOp &holder, RegionBody inside, bool carries) {
    holder = openRegion(b, typesNow());
    Block &block = blockOf(holder);
    for (auto [argument, value] :
         llvm::zip_equal(block.getArguments(), carried))
      assumeShared(b, argument, value);
    RegionGuard guard(b, &block);
    Values values = inside(block.getArguments());
    if (b.failed())
      return true;
    bool settled = !carries || settle(b, carried, values);
    yield(b, values);
    return settled;
  };
  graph::CaseOp bodyHolder, conditionHolder;
  while (!attempt(bodyHolder, body, /*carries=*/true))
    b.discard(bodyHolder);
  if (!b.failed())
    attempt(conditionHolder, condition, /*carries=*/false);
  SmallVector<Type> types = typesNow();
  if (b.failed())
    return b.opaques(types);
  auto loop = b.builder.create<graph::WhileOp>(b.loc, types, starts);
  moveInto(loop.getCondition(), conditionHolder);
  moveInto(loop.getBody(), bodyHolder);
  Values results = b.checkedAll(loop);
  for (auto [result, value] : llvm::zip_equal(results, carried))
    assumeShared(b, result, value);
  return results;
}

Values zenith::onnx::buildFor(ImportBuilder &b, Value count,
                              ArrayRef<Value> inits, StepBody body) {
  Values all = {b.scalar(DimExpr(0))};
  all.append(inits.begin(), inits.end());
  auto condition = [&](ValueRange arguments) -> Values {
    return {b.compare(CompareDirection::lt, arguments[0], count)};
  };
  auto step = [&](ValueRange arguments) -> Values {
    Values next = {b.binary<graph::AddOp>(arguments[0], b.scalar(DimExpr(1)))};
    next.append(body(arguments[0], arguments.drop_front()));
    return next;
  };
  Values results = buildWhile(b, all, condition, step);
  results.erase(results.begin());
  return results;
}

Values zenith::onnx::buildIf(ImportBuilder &b, Value condition,
                             llvm::function_ref<Values()> onTrue,
                             llvm::function_ref<Values()> onFalse) {
  auto thenHolder = openRegion(b, {}), elseHolder = openRegion(b, {});
  auto emit = [&](graph::CaseOp holder, llvm::function_ref<Values()> branch) {
    RegionGuard guard(b, &blockOf(holder));
    Values values = b.failed() ? Values() : branch();
    if (!b.failed())
      yield(b, values);
    return values;
  };
  Values thenValues = emit(thenHolder, onTrue),
         elseValues = emit(elseHolder, onFalse);
  SmallVector<Type> types;
  SmallVector<Carried> known;
  if (!b.failed() && thenValues.size() != elseValues.size())
    b.fail(invalid("the branches give different counts of values"));
  for (size_t i = 0; i < thenValues.size() && !b.failed(); ++i) {
    auto lhs = cast<RankedTensorType>(thenValues[i].getType()),
         rhs = cast<RankedTensorType>(elseValues[i].getType());
    if (lhs.getElementType() != rhs.getElementType()) {
      b.fail(invalid(
          fmt::format("result {} has another element type in each branch", i)));
      break;
    }
    if (lhs.getRank() != rhs.getRank()) {
      b.fail(unsupported(
          fmt::format("result {} has another rank in each branch", i)));
      break;
    }
    DimVector lhsDims = b.dims(thenValues[i]), rhsDims = b.dims(elseValues[i]);
    Carried common{lhs.getElementType(), {}};
    SmallVector<int64_t> shape;
    for (int64_t dim = 0; dim < lhs.getRank(); ++dim) {
      bool same = lhsDims[dim] == rhsDims[dim];
      common.dims.push_back(same && b.canRead(lhsDims[dim])
                                ? std::optional(lhsDims[dim])
                                : std::nullopt);
      shape.push_back(lhs.getDimSize(dim) == rhs.getDimSize(dim)
                          ? lhs.getDimSize(dim)
                          : ShapedType::kDynamic);
    }
    types.push_back(RankedTensorType::get(shape, common.element));
    known.push_back(std::move(common));
  }
  if (b.failed())
    return {};
  auto op = b.builder.create<graph::IfOp>(b.loc, types, condition);
  moveInto(op.getThenRegion(), thenHolder);
  moveInto(op.getElseRegion(), elseHolder);
  Values results = b.checkedAll(op);
  for (auto [result, value] : llvm::zip_equal(results, known))
    assumeShared(b, result, value);
  return results;
}

Values zenith::onnx::probe(ImportBuilder &b, TypeRange arguments,
                           RegionBody body) {
  auto holder = openRegion(b, arguments);
  Values values;
  {
    RegionGuard guard(b, &blockOf(holder));
    values = body(blockOf(holder).getArguments());
  }
  b.discard(holder);
  return values;
}

//===----------------------------------------------------------------------===//
// Parts of steps
//===----------------------------------------------------------------------===//

Value zenith::onnx::takeAt(ImportBuilder &b, Value value, int64_t dim,
                           Value index) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape())
    return gatherAlong(b, value, dim, index);
  SmallVector<int64_t> part(type.getShape());
  DimVector rest;
  part[dim] = 1;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      rest.push_back(DimExpr(part[i]));
  Value zero =
      b.convert(b.scalar(DimExpr(0)), getElementTypeOrSelf(index.getType()));
  Values starts(type.getRank(), zero);
  starts[dim] = index;
  Value taken = b.emit<graph::DynamicSliceOp>(
      RankedTensorType::get(part, type.getElementType()), value,
      ValueRange(starts));
  return b.reshape(taken, rest);
}

Value zenith::onnx::putAt(ImportBuilder &b, Value buffer, Value index,
                          Value element) {
  DimVector part = b.dims(element);
  part.insert(part.begin(), DimExpr(1));
  Values starts(part.size(), b.scalar(DimExpr(0)));
  starts[0] = index;
  return b.emit<graph::DynamicUpdateSliceOp>(
      buffer.getType(), buffer, b.reshape(element, part), ValueRange(starts));
}

Value zenith::onnx::asScalar(ImportBuilder &b, Value value) {
  return b.reshape(value, {});
}
