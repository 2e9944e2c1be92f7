// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, splits, permutes and reduces vectors.

#include "lowering/opencl/FunctionPrinter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::opencl {

static llvm::SmallVector<LaneOf> allLanes(Value value) {
  llvm::SmallVector<LaneOf> lanes;
  for (unsigned i = 0; i < laneCount(value.getType()); ++i)
    lanes.push_back({value, i});
  return lanes;
}

/// Lane that a list of static positions names, row-major; nullopt where a
/// position is known at run time only.
static std::optional<unsigned> staticLane(VectorType type,
                                          llvm::ArrayRef<int64_t> position) {
  if (position.size() != static_cast<size_t>(type.getRank()))
    return std::nullopt;
  unsigned lane = 0;
  for (auto [size, at] : llvm::zip(type.getShape(), position)) {
    if (ShapedType::isDynamic(at))
      return std::nullopt;
    lane = lane * size + at;
  }
  return lane;
}

static std::optional<unsigned> staticLane(Value position) {
  APInt value;
  if (!position)
    return 0;
  if (!matchPattern(position, m_ConstantInt(&value)))
    return std::nullopt;
  return value.getZExtValue();
}

/// First lane and lane distance of a strided slice of a one-dimensional
/// vector.
template <typename SliceOp>
static std::optional<std::pair<unsigned, unsigned>> sliceOf(SliceOp op) {
  if (op.getOffsets().size() != 1 || op.getStrides().size() != 1)
    return std::nullopt;
  auto number = [](Attribute a) {
    return static_cast<unsigned>(cast<IntegerAttr>(a).getInt());
  };
  return std::pair(number(op.getOffsets()[0]), number(op.getStrides()[0]));
}

static std::string laneNumbers(unsigned first, unsigned lanes) {
  std::string text = "(int" + std::to_string(lanes) + ")(";
  for (unsigned i = 0; i < lanes; ++i)
    text += (i ? ", " : "") + std::to_string(first + i);
  return text + ")";
}

bool FunctionPrinter::printVector(Operation *op) {
  auto fromLanes = [&](llvm::ArrayRef<LaneOf> lanes) {
    defineLanes(op->getResult(0), lanes);
    return true;
  };
  auto extract = [&](vector::ExtractOp extract) {
    auto type = extract.getSourceVectorType();
    auto at = staticLane(type, extract.getStaticPosition());
    if (!at)
      return type.getRank() == 1 ? (printDynamicLane(op), true) : false;
    return fromLanes(LaneOf{extract.getVector(), *at});
  };
  auto extractElement = [&](vector::ExtractElementOp extract) {
    auto at = staticLane(extract.getPosition());
    if (!at)
      return printDynamicLane(op), true;
    return fromLanes(LaneOf{extract.getVector(), *at});
  };
  auto insertAt = [&](Value scalar, Value into, std::optional<unsigned> at) {
    if (!at)
      return printDynamicLane(op), true;
    auto lanes = allLanes(into);
    lanes[*at] = {scalar, 0};
    return fromLanes(lanes);
  };
  auto insert = [&](vector::InsertOp insert) {
    auto type = insert.getDestVectorType();
    auto at = staticLane(type, insert.getStaticPosition());
    if (!at && type.getRank() != 1)
      return false;
    return insertAt(insert.getSource(), insert.getDest(), at);
  };
  auto shuffle = [&](vector::ShuffleOp shuffle) {
    llvm::SmallVector<LaneOf> lanes;
    unsigned firstSize = laneCount(shuffle.getV1().getType());
    if (shuffle.getV1VectorType().getRank() != 1)
      return false;
    for (Attribute entry : shuffle.getMask()) {
      unsigned at = cast<IntegerAttr>(entry).getInt();
      lanes.push_back(at < firstSize ? LaneOf{shuffle.getV1(), at}
                                     : LaneOf{shuffle.getV2(), at - firstSize});
    }
    return fromLanes(lanes);
  };
  auto extractSlice = [&](vector::ExtractStridedSliceOp slice) {
    auto range = sliceOf(slice);
    if (!range || slice.getSourceVectorType().getRank() != 1)
      return false;
    llvm::SmallVector<LaneOf> lanes;
    for (unsigned i = 0; i < laneCount(slice.getType()); ++i)
      lanes.push_back({slice.getVector(), range->first + i * range->second});
    return fromLanes(lanes);
  };
  auto insertSlice = [&](vector::InsertStridedSliceOp slice) {
    auto range = sliceOf(slice);
    if (!range || slice.getDestVectorType().getRank() != 1)
      return false;
    auto lanes = allLanes(slice.getDest());
    for (unsigned i = 0; i < laneCount(slice.getSource().getType()); ++i)
      lanes[range->first + i * range->second] = {slice.getSource(), i};
    return fromLanes(lanes);
  };
  auto splat = [&](Value source) {
    bool isMask = getElementTypeOrSelf(source.getType()).isInteger(1);
    if (isa<VectorType>(source.getType())) {
      if (laneCount(source.getType()) != laneCount(op->getResult(0).getType()))
        return false;
      return fromLanes(allLanes(source));
    }
    defineEach(op->getResult(0), [&](unsigned, unsigned lanes) {
      if (lanes == 1)
        return use(source);
      Type element = getElementTypeOrSelf(source.getType());
      return "(" + typeName(element, lanes) + ")(" + (isMask ? "-" : "") +
             use(source) + ")";
    });
    return true;
  };
  auto createMask = [&](vector::CreateMaskOp mask) {
    if (mask.getOperands().size() != 1)
      return false;
    Value count = mask.getOperands()[0];
    maskCounts[mask] = count;
    unsigned first = 0;
    defineEach(mask, [&](unsigned, unsigned lanes) {
      unsigned skipped = first;
      first += lanes;
      if (lanes == 1)
        return use(count) + " > " + std::to_string(skipped);
      std::string n = std::to_string(lanes);
      return laneNumbers(skipped, lanes) + " < (int" + n + ")((int)min(" +
             use(count) + ", (long)" + std::to_string(skipped + lanes) + "))";
    });
    return true;
  };
  auto constantMask = [&](vector::ConstantMaskOp mask) {
    if (mask.getMaskDimSizes().size() != 1)
      return false;
    int64_t count = cast<IntegerAttr>(mask.getMaskDimSizes()[0]).getInt();
    unsigned first = 0;
    defineEach(mask, [&](unsigned, unsigned lanes) {
      unsigned skipped = first;
      first += lanes;
      if (lanes == 1)
        return std::string(count > skipped ? "1" : "0");
      return laneNumbers(skipped, lanes) + " < (int" + std::to_string(lanes) +
             ")(" + std::to_string(count) + ")";
    });
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case(extract)
      .Case(extractElement)
      .Case(insert)
      .Case([&](vector::InsertElementOp insert) {
        return insertAt(insert.getSource(), insert.getDest(),
                        staticLane(insert.getPosition()));
      })
      .Case(shuffle)
      .Case(extractSlice)
      .Case(insertSlice)
      .Case([&](vector::BroadcastOp op) { return splat(op.getSource()); })
      .Case([&](vector::SplatOp op) { return splat(op.getInput()); })
      .Case([&](vector::ShapeCastOp cast) {
        return fromLanes(allLanes(cast.getSource()));
      })
      .Case([&](vector::FromElementsOp op) {
        llvm::SmallVector<LaneOf> lanes;
        for (Value element : op.getElements())
          lanes.push_back({element, 0});
        return fromLanes(lanes);
      })
      .Case(createMask)
      .Case(constantMask)
      .Case([&](vector::ReductionOp) { return printReduction(op), true; })
      .Default(false);
}

void FunctionPrinter::printReduction(Operation *op) {
  auto reduction = cast<vector::ReductionOp>(op);
  Value source = reduction.getVector();
  Type element = reduction.getType();
  std::string kind = vector::stringifyCombiningKind(reduction.getKind());
  llvm::SmallVector<std::string> terms;
  if (reduction.getAcc())
    terms.push_back(use(reduction.getAcc()));
  for (unsigned i = 0; i < laneCount(source.getType()); ++i)
    terms.push_back(lane(source, i));
  // Sums and products of floats are accumulated from the first lane to the
  // last; for other kinds the order makes no difference.
  std::string result = terms[0];
  for (unsigned i = 1; i < terms.size(); ++i) {
    std::string name = freshName();
    line("const " + typeName(element, 1) + " " + name + " = " +
         combine(kind, element, result, terms[i], 1) + ";");
    result = name;
  }
  named[reduction] = {result};
}

/// A lane whose index is known at run time only: through memory.
void FunctionPrinter::printDynamicLane(Operation *op) {
  Value vector, scalar, position;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::ExtractOp op) {
        vector = op.getVector();
        position = op.getDynamicPosition()[0];
      })
      .Case([&](vector::ExtractElementOp op) {
        vector = op.getVector();
        position = op.getPosition();
      })
      .Case([&](vector::InsertOp op) {
        vector = op.getDest();
        scalar = op.getSource();
        position = op.getDynamicPosition()[0];
      })
      .Case([&](vector::InsertElementOp op) {
        vector = op.getDest();
        scalar = op.getSource();
        position = op.getPosition();
      });
  Type element = getElementTypeOrSelf(vector.getType());
  auto widths = chunkLanes(vector.getType());
  std::string lanes = freshName();
  line(typeName(element, 1) + " " + lanes + "[" +
       std::to_string(laneCount(vector.getType())) + "];");
  unsigned first = 0;
  for (auto [chunk, width] : llvm::enumerate(widths)) {
    std::string at = lanes + " + " + std::to_string(first);
    line(width == 1 ? "*(" + at + ") = " + use(vector, chunk) + ";"
                    : "vstore" + std::to_string(width) + "(" +
                          use(vector, chunk) + ", 0, " + at + ");");
    first += width;
  }
  std::string chosen = lanes + "[" + use(position) + "]";
  bool isMask = element.isInteger(1);
  if (!scalar)
    return defineEach(op->getResult(0), [&](unsigned, unsigned) {
      return isMask ? "(" + chosen + " & 1)" : chosen;
    });
  line(chosen + " = " + (isMask ? "-" : "") + use(scalar) + ";");
  first = 0;
  defineEach(op->getResult(0), [&](unsigned, unsigned width) {
    std::string at = lanes + " + " + std::to_string(first);
    first += width;
    return width == 1 ? "*(" + at + ")"
                      : "vload" + std::to_string(width) + "(0, " + at + ")";
  });
}

} // namespace zenith::opencl
