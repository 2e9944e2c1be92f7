// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds, joins, parts and copies of the values that the devices of a group
// have.

#include "ir/devices/UnrollCollectives.h"

#include "ir/CollectiveOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static llvm::Error fail(Operation *op, ErrorCode code, const Twine &message) {
  return makeError(code, "'" + op->getName().getStringRef() + "' " + message,
                   placeOf(op->getLoc()));
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

// The ops of a region of scalars on tensors of one shape.
static llvm::Expected<Value> joinByRegion(OpBuilder &b, Operation *op,
                                          Region &body, Value lhs, Value rhs) {
  ArrayRef<int64_t> shape = typeOf(lhs).getShape();
  IRMapping mapping;
  mapping.map(body.getArgument(0), lhs);
  mapping.map(body.getArgument(1), rhs);
  for (Operation &inner : body.front().without_terminator()) {
    if (isa<ShardOp, ReshardOp>(inner)) {
      // Says nothing of a scalar.
      mapping.map(inner.getResult(0),
                  mapping.lookupOrDefault(inner.getOperand(0)));
      continue;
    }
    bool isConstant = inner.hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && familyOf(&inner) != Family::Elementwise)
      return fail(op, ErrorCode::Unsupported,
                  "with '" + inner.getName().getStringRef() +
                      "' in its region is not supported");
    for (Value operand : inner.getOperands())
      if (!mapping.contains(operand)) {
        // A scalar from outside the region.
        auto type = RankedTensorType::get(shape, getElementTypeOrSelf(operand));
        mapping.map(operand,
                    b.create<BroadcastOp>(op->getLoc(), type, operand,
                                          ArrayRef<int64_t>{}, ValueRange()));
      }
    Operation *clone = b.clone(inner, mapping);
    for (auto [from, to] : llvm::zip(inner.getResults(), clone->getResults())) {
      auto type = RankedTensorType::get(shape, getElementTypeOrSelf(from));
      if (isConstant) {
        mapping.map(from,
                    b.create<BroadcastOp>(op->getLoc(), type, to,
                                          ArrayRef<int64_t>{}, ValueRange())
                        .getResult());
        continue;
      }
      to.setType(type);
      mapping.map(from, to);
    }
  }
  return mapping.lookupOrDefault(body.front().back().getOperand(0));
}

static bool roundsOnce(ReduceKind kind, Type element) {
  return (kind == ReduceKind::sum || kind == ReduceKind::prod) &&
         isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

llvm::Expected<Value> graph::foldValues(OpBuilder &b, Operation *op,
                                        std::optional<ReduceKind> kind,
                                        Region *body, ArrayRef<Value> values) {
  Value folded = values.front();
  Type element = getElementTypeOrSelf(folded);
  bool wide = kind && roundsOnce(*kind, element);
  if (wide)
    folded = converted(b, folded, b.getF32Type());
  for (Value value : values.drop_front()) {
    if (kind) {
      folded = combined(b, op->getLoc(), *kind, folded,
                        wide ? converted(b, value, b.getF32Type()) : value);
      continue;
    }
    auto joined = joinByRegion(b, op, *body, folded, value);
    if (!joined)
      return joined;
    folded = *joined;
  }
  return wide ? converted(b, folded, element) : folded;
}

template <typename Op>
static llvm::Expected<Value> foldGroup(const CollectiveUnrolling &u, Op op,
                                       Value input, const DeviceList &group) {
  SmallVector<Value> values;
  for (int64_t device : group)
    values.push_back(u.valueOn(input, device));
  return foldValues(u.builder, op, op.getKind(),
                    op.getBody().empty() ? nullptr : &op.getBody().front(),
                    values);
}

//===----------------------------------------------------------------------===//
// Parts and joins
//===----------------------------------------------------------------------===//

/// Part `index` of `count` equal ones along a dimension.
static Value partOf(OpBuilder &b, Location loc, Value value, int64_t dim,
                    int64_t count, int64_t index) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  sizes[dim] /= count;
  starts[dim] = sizes[dim] * index;
  return b.create<SliceOp>(
      loc, RankedTensorType::get(sizes, type.getElementType()), value,
      ValueRange(), ValueRange(), starts, sizes, strides);
}

static Value joined(OpBuilder &b, Location loc, int64_t dim,
                    ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  return b.create<ConcatOp>(loc, uint64_t(dim), parts);
}

static Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  TypedAttr zero;
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    APFloat part(cast<FloatType>(complex.getElementType()).getFloatSemantics());
    auto elements =
        DenseElementsAttr::get(scalar, std::complex<APFloat>(part, part));
    zero = elements;
  } else {
    zero = DenseElementsAttr::get(scalar, b.getZeroAttr(type.getElementType()));
  }
  Value value = b.create<ConstantOp>(loc, cast<ElementsAttr>(zero));
  return type.getRank() == 0
             ? value
             : b.create<BroadcastOp>(loc, type, value, ArrayRef<int64_t>{},
                                     ValueRange())
                   .getResult();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static llvm::Error wrongGroup(Operation *op, size_t devices) {
  return fail(op, ErrorCode::Invalid,
              "has a group of " + Twine(devices) +
                  " devices, which its types do not allow");
}

// Devices that run the op and are in no group.
static SmallVector<int64_t> ungrouped(const CollectiveUnrolling &u) {
  SmallVector<int64_t> rest;
  for (int64_t device : u.active)
    if (llvm::none_of(u.groups, [&](const DeviceList &group) {
          return llvm::is_contained(group, device);
        }))
      rest.push_back(device);
  return rest;
}

// A device in no group is one of its own where types don't change.
static llvm::Error keepOwn(const CollectiveUnrolling &u) {
  for (int64_t device : ungrouped(u))
    for (auto [input, result] :
         llvm::zip_equal(u.op->getOperands(), u.op->getResults())) {
      if (input.getType() != result.getType())
        return fail(u.op, ErrorCode::Invalid,
                    "runs on device " + Twine(device) +
                        ", which is in no group");
      u.set(result, device, u.valueOn(input, device));
    }
  return llvm::Error::success();
}

static bool isMember(const CollectiveUnrolling &u, const DeviceList &group) {
  return !group.empty() && llvm::is_contained(u.active, group.front());
}

static llvm::Error unroll(AllReduceOp op, const CollectiveUnrolling &u) {
  for (const DeviceList &group : u.groups)
    if (isMember(u, group))
      for (auto [input, result] :
           llvm::zip_equal(op.getInputs(), op.getResults())) {
        auto folded = foldGroup(u, op, input, group);
        if (!folded)
          return folded.takeError();
        for (int64_t device : group)
          u.set(result, device, *folded);
      }
  return keepOwn(u);
}

static llvm::Error unroll(ReduceScatterOp op, const CollectiveUnrolling &u) {
  for (const DeviceList &group : u.groups) {
    if (!isMember(u, group))
      continue;
    int64_t count = group.size(), dim = op.getDim();
    if (typeOf(op.getResult()).getDimSize(dim) * count !=
        typeOf(op.getInput()).getDimSize(dim))
      return wrongGroup(op, group.size());
    auto folded = foldGroup(u, op, op.getInput(), group);
    if (!folded)
      return folded.takeError();
    for (auto [position, device] : llvm::enumerate(group))
      u.set(op.getResult(), device,
            partOf(u.builder, op.getLoc(), *folded, dim, count,
                   int64_t(position)));
  }
  return keepOwn(u);
}

static llvm::Error unroll(AllGatherOp op, const CollectiveUnrolling &u) {
  int64_t dim = op.getDim();
  for (const DeviceList &group : u.groups)
    if (isMember(u, group))
      for (auto [input, result] :
           llvm::zip_equal(op.getInputs(), op.getResults())) {
        if (typeOf(result).getDimSize(dim) !=
            typeOf(input).getDimSize(dim) * int64_t(group.size()))
          return wrongGroup(op, group.size());
        SmallVector<Value> parts;
        for (int64_t device : group)
          parts.push_back(u.valueOn(input, device));
        Value whole = joined(u.builder, op.getLoc(), dim, parts);
        for (int64_t device : group)
          u.set(result, device, whole);
      }
  return keepOwn(u);
}

static llvm::Error unroll(AllToAllOp op, const CollectiveUnrolling &u) {
  int64_t split = op.getSplit(), concat = op.getConcat(), count = op.getCount();
  for (const DeviceList &group : u.groups) {
    if (!isMember(u, group))
      continue;
    if (int64_t(group.size()) != count)
      return wrongGroup(op, group.size());
    for (auto [input, result] :
         llvm::zip_equal(op.getInputs(), op.getResults()))
      for (auto [position, device] : llvm::enumerate(group)) {
        SmallVector<Value> parts;
        for (int64_t sender : group)
          parts.push_back(partOf(u.builder, op.getLoc(),
                                 u.valueOn(input, sender), split, count,
                                 int64_t(position)));
        u.set(result, device, joined(u.builder, op.getLoc(), concat, parts));
      }
  }
  return keepOwn(u);
}

static llvm::Error unroll(CollectivePermuteOp op,
                          const CollectiveUnrolling &u) {
  Value nothing;
  for (int64_t device : u.active) {
    const auto *pair = llvm::find_if(
        u.groups, [&](const DeviceList &moved) { return moved[1] == device; });
    if (pair != u.groups.end()) {
      if (!llvm::is_contained(u.active, (*pair)[0]))
        return fail(op, ErrorCode::Invalid,
                    "waits for device " + Twine((*pair)[0]) +
                        ", which does not get there");
      u.set(op.getResult(), device, u.valueOn(op.getInput(), (*pair)[0]));
      continue;
    }
    if (!nothing)
      nothing = zeros(u.builder, op.getLoc(), typeOf(op.getResult()));
    u.set(op.getResult(), device, nothing);
  }
  return llvm::Error::success();
}

static llvm::Error unroll(CollectiveBroadcastOp op,
                          const CollectiveUnrolling &u) {
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    for (const DeviceList &group : u.groups) {
      if (!isMember(u, group))
        continue;
      if (op.getSource() >= group.size())
        return wrongGroup(op, group.size());
      for (int64_t device : group)
        u.set(result, device, u.valueOn(input, group[op.getSource()]));
    }
    for (int64_t device : ungrouped(u))
      u.set(result, device, zeros(u.builder, op.getLoc(), typeOf(result)));
  }
  return llvm::Error::success();
}

static llvm::Error unroll(AxisIndexOp op, const CollectiveUnrolling &u) {
  llvm::DenseMap<int64_t, int64_t> positions;
  for (const DeviceList &group : u.groups)
    for (auto [position, device] : llvm::enumerate(group))
      positions[device] = int64_t(position);
  auto type = cast<RankedTensorType>(op.getType());
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  llvm::DenseMap<int64_t, Value> constants;
  for (int64_t device : u.active) {
    int64_t position = positions.lookup(device);
    Value &constant = constants[position];
    if (!constant)
      constant = u.builder.create<ConstantOp>(
          op.getLoc(),
          DenseElementsAttr::get(type, APInt(width, uint64_t(position))));
    u.set(op.getResult(), device, constant);
  }
  return llvm::Error::success();
}

llvm::Error graph::unrollCollective(const CollectiveUnrolling &u) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(u.op)
      .Case<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp,
            CollectivePermuteOp, CollectiveBroadcastOp, AxisIndexOp>(
          [&](auto op) { return unroll(op, u); })
      .Default([&](Operation *op) {
        return fail(op, ErrorCode::Unsupported, "is no collective");
      });
}
