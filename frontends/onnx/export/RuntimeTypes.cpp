// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of the types that ONNX Runtime's kernels for processors lack, and the
// conversions around the ops.

#include "frontends/onnx/export/RuntimeTypes.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;

namespace {
/// What stands for the elements of a type.
struct Carrier {
  Type type;
  /// The integers are unsigned ones whose order matters: the signed ones of the
  /// same bits have it after the sign is turned.
  bool turnsSign = false;
};
} // namespace

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// How a reduction over dimensions or windows joins elements.
static std::optional<graph::ReduceKind> reductionOf(Operation *op) {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return reduce.getKind();
  if (auto reduce = dyn_cast<graph::ReduceWindowOp>(op))
    return reduce.getKind();
  return std::nullopt;
}

static bool isOrdering(Operation *op) {
  auto kind = reductionOf(op);
  return kind == graph::ReduceKind::max || kind == graph::ReduceKind::min ||
         isa<graph::ArgReduceOp, graph::SortOp, graph::TopKOp>(op);
}

static bool isSumOrProduct(Operation *op) {
  auto scan = dyn_cast<graph::CumulativeOp>(op);
  auto kind = scan ? std::optional(scan.getKind()) : reductionOf(op);
  return kind == graph::ReduceKind::sum ||
         (kind == graph::ReduceKind::prod && !scan);
}

/// Movement and orders, which runtimes have for 16-bit floats.
static bool movesHalves(Operation *op) {
  auto scatter = dyn_cast<graph::ScatterOp>(op);
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
             graph::ConcatOp, graph::ReverseOp, graph::GatherOp,
             graph::DynamicSliceOp, graph::ConstantOp, graph::GetParamOp,
             graph::BarrierOp, graph::NamedOp, graph::PlaceOp,
             graph::StopGradientOp, graph::ConvertOp, graph::BitcastOp,
             graph::SortOp, graph::TopKOp, graph::UniqueOp, graph::DimOp>(op) ||
         (scatter && scatter.getKind() == graph::ScatterKind::set);
}

static Type carrierOfHalf(Operation *op, Type element) {
  bool isLacking = element.isBF16()
                       ? !movesHalves(op)
                       : isa<graph::Atan2Op, graph::Expm1Op, graph::IsFiniteOp,
                             graph::Log1pOp>(op) ||
                             (isa<graph::ScatterOp>(op) && !movesHalves(op));
  return isLacking ? Float32Type::get(op->getContext()) : Type();
}

/// Of integers of at most 16 bits.
static Type carrierOfNarrow(Operation *op, IntegerType element) {
  MLIRContext *context = op->getContext();
  auto scan = dyn_cast<graph::CumulativeOp>(op);
  bool isSum = isa<graph::DotGeneralOp>(op) ||
               (scan && scan.getKind() == graph::ReduceKind::sum);
  bool isLacking =
      isSum ||
      (element.getWidth() == 16 &&
       isa<graph::ArgReduceOp, graph::ClampOp, graph::CumulativeOp,
           graph::DynamicUpdateSliceOp, graph::MaxOp, graph::MinOp,
           graph::PadOp, graph::ReduceOp, graph::ReduceWindowOp,
           graph::SelectOp, graph::ShiftLeftOp, graph::ShiftRightArithmeticOp>(
           op));
  // Bits move in from above.
  if (element.getWidth() == 16 && isa<graph::ShiftRightLogicalOp>(op))
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  return isLacking ? IntegerType::get(context, 32) : Type();
}

static std::optional<Carrier> carrierOf(Operation *op, Type element) {
  MLIRContext *context = op->getContext();
  auto in = [](Type type) {
    return type ? std::optional(Carrier{type}) : std::nullopt;
  };
  if (element.isBF16() || element.isF16())
    return in(carrierOfHalf(op, element));
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  auto i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  if (integer.getWidth() == 1)
    return isa<graph::DynamicUpdateSliceOp, graph::SearchSortedOp>(op)
               ? in(i32)
               : std::nullopt;
  if (integer.getWidth() <= 16)
    return in(carrierOfNarrow(op, integer));
  if (!integer.isUnsigned())
    return std::nullopt;
  bool isWide = integer.getWidth() == 64;
  if (isOrdering(op))
    return Carrier{i64, isWide};
  bool isLacking =
      isSumOrProduct(op) ||
      (isWide && isa<graph::DynamicUpdateSliceOp, graph::SelectOp>(op));
  return isLacking ? in(i64) : std::nullopt;
}

namespace {
class Conversion {
public:
  Conversion(Operation *op, Type element, Carrier carrier)
      : builder(op), op(op), element(element), carrier(carrier) {}
  void run();

private:
  Value convert(Value value, Type to);
  Value carried(Value value);
  Value turned(Value value);

  OpBuilder builder;
  Operation *op;
  Type element;
  Carrier carrier;
};
} // namespace

static RankedTensorType withElement(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                               element);
}

Value Conversion::convert(Value value, Type to) {
  // Zeros move in where a logical shift widens.
  auto from = dyn_cast<IntegerType>(elementOf(value));
  auto integer = dyn_cast<IntegerType>(to);
  if (from && integer && from.isSignless() && from.getWidth() > 1 &&
      integer.isUnsigned() && from.getWidth() < integer.getWidth())
    value = convert(value, IntegerType::get(op->getContext(), from.getWidth(),
                                            IntegerType::Unsigned));
  return graph::converted(builder, value, to);
}

/// Turns the sign by adding the smallest integer, which wraps.
Value Conversion::turned(Value value) {
  if (!carrier.turnsSign)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  Value smallest = builder.create<graph::ConstantOp>(
      op->getLoc(), DenseElementsAttr::get(
                        RankedTensorType::get({}, carrier.type), INT64_MIN));
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(
          builder.create<graph::DimOp>(op->getLoc(), value, d).getResult());
  Value all = builder.create<graph::BroadcastOp>(op->getLoc(), type, smallest,
                                                 ArrayRef<int64_t>(), sizes);
  return builder.create<graph::AddOp>(op->getLoc(), type, value, all);
}

/// A broadcast is made of the converted operand, since operators broadcast by
/// themselves.
Value Conversion::carried(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return turned(convert(value, carrier.type));
  Value operand = carried(broadcast.getOperand());
  return builder.create<graph::BroadcastOp>(
      op->getLoc(), withElement(value.getType(), carrier.type), operand,
      broadcast.getMapping(), broadcast.getDims());
}

void Conversion::run() {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (elementOf(operand) == element && !mapping.contains(operand))
      mapping.map(operand, carried(operand));
  Operation *wide = builder.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), wide->getResults())) {
    if (elementOf(from) != element)
      continue;
    to.setType(withElement(to.getType(), carrier.type));
  }
  SmallVector<Value> results;
  for (auto [from, to] : llvm::zip(op->getResults(), wide->getResults()))
    results.push_back(elementOf(from) == element ? convert(turned(to), element)
                                                 : Value(to));
  op->replaceAllUsesWith(results);
  op->erase();
}

/// The type whose carrier the op needs: that of an operand.
static std::optional<std::pair<Type, Carrier>> lackingType(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      if (auto carrier = carrierOf(op, elementOf(operand)))
        return std::pair(elementOf(operand), *carrier);
  return std::nullopt;
}

void onnx::useRuntimeTypes(ModuleOp module) {
  SmallVector<Operation *> ops, broadcasts;
  module.walk([&](Operation *op) {
    if (graph::familyOf(op) && op->getNumRegions() == 0 &&
        op->getNumResults() > 0 && lackingType(op))
      (isa<graph::BroadcastOp>(op) ? broadcasts : ops).push_back(op);
  });
  auto convert = [](Operation *op) {
    auto lacking = lackingType(op);
    Conversion(op, lacking->first, lacking->second).run();
  };
  llvm::for_each(ops, convert);
  for (Operation *broadcast : llvm::reverse(broadcasts))
    if (broadcast->use_empty())
      broadcast->erase();
    else
      convert(broadcast);
}
