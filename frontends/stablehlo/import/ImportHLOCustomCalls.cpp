// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of custom calls by name, and of the checks that programs contain.

#include "frontends/stablehlo/builder/NarrowElements.h"
#include "frontends/stablehlo/import/OrderingReading.h"
#include "frontends/stablehlo/import/ReduceReading.h"

#include "ir/LocationText.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

static void expect(OpReading &x, Expectation::Kind kind, Value actual,
                   Value expected) {
  if (x.failed())
    return;
  if (x.program.regionDepth)
    return x.unsupported("inside a region is not supported");
  Expectation expectation;
  expectation.kind = kind;
  expectation.location = graph::placeOf(x.loc);
  if (auto value = x.op->getAttrOfType<FloatAttr>("tolerance"))
    expectation.tolerance = value.getValueAsDouble();
  expectation.maxUlp = x.intAttribute("max_ulp_difference", expectation.maxUlp);
  // Any difference will do (2^64 - 1).
  if (expectation.maxUlp < 0)
    return;
  x.program.expectations.push_back(expectation);
  x.program.expected.append({actual, expected});
}

template <Expectation::Kind kind> static void expectRule(OpReading &x) {
  expect(x, kind, x.in(0), x.in(1));
}

template <Expectation::Kind kind> static void expectConstantRule(OpReading &x) {
  auto value = x.attr<DenseElementsAttr>("value");
  if (!value)
    return;
  // Integers of two bits are compared as the wider ones that stand for them.
  if (isTwoBits(value.getElementType())) {
    Type wide = elementOf(x.in(0));
    bool isUnsigned = wide.isUnsignedInteger();
    value = cast<DenseIntElementsAttr>(value).mapValues(
        wide, [&](const APInt &bits) {
          return isUnsigned ? bits.zext(8) : bits.sext(8);
        });
  }
  expect(x, kind, x.in(0), x.constant(value));
}

// @check.eq gives whether all elements agree, and is an expectation as well.
static void checkEqualRule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  expect(x, Expectation::Equal, lhs, rhs);
  if (x.failed() || x.op->getNumResults() == 0)
    return;
  Value same = x.compare(graph::CompareDirection::eq, lhs, rhs);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rankOf(same); ++i)
    dims.push_back(i);
  x.out(dims.empty() ? same : x.reduce(graph::ReduceKind::all, same, dims));
}

static void probeRule(OpReading &x) {
  auto name = x.attr<StringAttr>("probe_id");
  Value value = x.in();
  if (x.failed())
    return;
  // Inside a region there is a value for every iteration.
  if (x.program.regionDepth == 0)
    x.program.probes[name.getValue()] = value;
  x.out(value);
}

static void expectProbeRule(OpReading &x) {
  auto name = x.attr<StringAttr>("probe_id");
  if (!name)
    return;
  Value probe = x.program.probes.lookup(name.getValue());
  if (!probe)
    return x.unsupported("of a probe inside a region is not supported");
  expect(x, Expectation::Equal, probe, x.in());
}

void stablehlo::addExpectationRules(RuleTable &rules) {
  rules["interpreter.probe"] = probeRule;
  rules["check.expect_serialized_eq"] = expectProbeRule;
  rules["check.expect_eq"] = expectRule<Expectation::Equal>;
  rules["check.expect_almost_eq"] = expectRule<Expectation::AlmostEqual>;
  rules["check.expect_close"] = expectRule<Expectation::Close>;
  rules["check.expect_eq_const"] = expectConstantRule<Expectation::Equal>;
  rules["check.expect_almost_eq_const"] =
      expectConstantRule<Expectation::AlmostEqual>;
}

//===----------------------------------------------------------------------===//
// Calls by name
//===----------------------------------------------------------------------===//

static void sameRule(OpReading &x) { x.outFlat(x.flatInputs()); }

/// A value that the program wants on the host, or back on the device.
static void placementRule(OpReading &x) {
  auto attributes =
      x.op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto place = attributes
                   ? attributes.getAs<StringAttr>("_xla_buffer_placement")
                   : StringAttr();
  if (!place)
    return sameRule(x);
  bool isHost = place.getValue().contains("host");
  if (!isHost && place.getValue() != "device")
    return x.unsupported("placement '" + place.getValue() +
                         "' is not supported");
  Values placed;
  for (Value input : x.flatInputs())
    placed.push_back(x.make<graph::PlaceOp>(
        input.getType(), input,
        isHost ? graph::MemoryPlace::host : graph::MemoryPlace::device));
  x.outFlat(placed);
}

static void shapeAssertionRule(OpReading &x) {
  auto message = x.attr<StringAttr>("error_message");
  if (!message || x.inputs() == 0)
    return;
  Value holds = x.in(0);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(holds)));
  if (!dims.empty())
    holds = x.reduce(graph::ReduceKind::all, holds, dims);
  x.create<graph::AssertOp>(holds, message.getValue(),
                            x.ins(1, x.inputs() - 1));
  x.outFlat({});
}

static int64_t configNumber(OpReading &x, StringRef name, int64_t fallback) {
  auto config = x.op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  if (!config)
    config = x.op->getAttrOfType<DictionaryAttr>("backend_config");
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getValue().getZExtValue() : fallback;
}

// LAPACK writes one triangle and leaves the other unchanged.
static Value besideFactor(OpReading &x, Value factor, Value matrix,
                          bool lower) {
  RankedTensorType type = tensorTypeOf(factor);
  if (!type.hasStaticShape())
    return factor;
  ArrayRef<int64_t> shape = type.getShape().take_back(2);
  Type index = x.b.getI32Type();
  Value inside = x.compare(lower ? graph::CompareDirection::ge
                                 : graph::CompareDirection::le,
                           x.iota(shape, 0, index), x.iota(shape, 1, index));
  int64_t rank = type.getRank();
  inside = x.broadcast(inside, {rank - 2, rank - 1},
                       RankedTensorType::get(type.getShape(), x.b.getI1Type()));
  return x.select(inside, factor, matrix);
}

// The factor, and 0 for success. A failure shows as NaN from some column on;
// the program makes all of the factor NaN if it reads another status.
static void potrfRule(OpReading &x) {
  Value matrix = x.in();
  RankedTensorType info = x.type(1);
  if (x.failed())
    return;
  bool lower = configNumber(x, "uplo", 'L') == 'L';
  Value factor = x.make<graph::CholeskyOp>(matrix.getType(), matrix, lower);
  int64_t rank = rankOf(factor);
  Value failed =
      x.reduce(graph::ReduceKind::any,
               x.compare(graph::CompareDirection::ne, factor, factor),
               {rank - 2, rank - 1});
  x.out(Values{besideFactor(x, factor, matrix, lower),
               x.convert(failed, info.getElementType())});
}

static void trsmRule(OpReading &x) {
  Value a = x.in(0), b = x.in(1);
  int64_t form = configNumber(x, "trans_x", 'N');
  x.out(x.make<graph::TriangularSolveOp>(
      b.getType(),
      form == 'N'   ? graph::MatrixForm::plain
      : form == 'T' ? graph::MatrixForm::transposed
                    : graph::MatrixForm::adjoint,
      a, b, configNumber(x, "side", 'L') == 'L',
      configNumber(x, "uplo", 'L') == 'L',
      configNumber(x, "diag", 'N') == 'U'));
}

// Other LAPACK routines by the name that they have for all element types:
// lapack_sgetrf_ffi is lapack_getrf.
static void lapackRule(OpReading &x, StringRef routine) {
  SmallVector<Type> types = x.program.typesOf(x.op->getResultTypes(), x.loc);
  if (x.failed())
    return;
  // Shapes of dynamic results come after the matrices.
  auto shapes =
      x.op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
  Values matrices = x.flatInputs();
  matrices.truncate(
      matrices.size() -
      std::min<size_t>(matrices.size(), shapes ? shapes.size() : 0));
  auto config = x.op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  x.outFlat(x.create<graph::CustomCallOp>(types, "lapack_" + routine.str(),
                                          matrices, config)
                .getResults());
}

static Rule ruleForTarget(StringRef target) {
  using Entry = std::pair<StringRef, Rule>;
  static constexpr Entry entries[] = {
      {"check.expect_eq", expectRule<Expectation::Equal>},
      {"check.expect_close", expectRule<Expectation::Close>},
      {"check.expect_almost_eq", expectRule<Expectation::AlmostEqual>},
      {"check.eq", checkEqualRule},
      {"Sharding", importShardingCall},
      {"SPMDFullToShardShape", importShardShapeCall},
      {"SPMDShardToFullShape", importShardShapeCall},
      {"LayoutConstraint", sameRule},
      {"annotate_device_placement", placementRule},
      {"stablehlo.dynamic_reduce_window", importDynamicReduceWindow},
      {"ApproxTopK", importApproxTopK},
      {"shape_assertion", shapeAssertionRule}};
  for (const Entry &entry : entries)
    if (entry.first == target)
      return entry.second;
  return nullptr;
}

// Kept by name: backends refuse unknown names. A call for its effect would be
// removed as unused, so it is refused here, unless only shardings are asked
// for, to which it says nothing.
static void unknownRule(OpReading &x, StringRef target) {
  SmallVector<Type> types = x.program.typesOf(x.op->getResultTypes(), x.loc);
  if (x.failed())
    return;
  if ((x.flag("has_side_effect") && !x.program.keepsValues) || target.empty())
    return x.unsupported("@" + target + " is not supported");
  // Without an effect or a result the call does nothing.
  if (types.empty())
    return x.outFlat({});
  NamedAttrList config;
  if (Attribute value = x.op->getAttr("backend_config"))
    config.set("backend_config", value);
  x.outFlat(x.create<graph::CustomCallOp>(
                 types, target, x.flatInputs(),
                 config.empty() ? DictionaryAttr()
                                : config.getDictionary(x.b.getContext()))
                .getResults());
}

static void customCallRule(OpReading &x) {
  auto name = x.attr<StringAttr>("call_target_name");
  if (!name)
    return;
  StringRef target = name.getValue();
  if (Rule rule = ruleForTarget(target))
    return rule(x);
  StringRef routine = target;
  if (routine.consume_front("lapack_") && routine.consume_back("_ffi") &&
      routine.size() > 1 && StringRef("sdcz").contains(routine.front())) {
    routine = routine.drop_front();
    if (routine == "potrf")
      return potrfRule(x);
    if (routine == "trsm")
      return trsmRule(x);
    return lapackRule(x, routine);
  }
  unknownRule(x, target);
}

void stablehlo::addCustomCallRules(RuleTable &rules) {
  rules["stablehlo.custom_call"] = customCallRule;
}
