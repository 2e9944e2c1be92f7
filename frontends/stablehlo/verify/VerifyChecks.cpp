// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compatibility of types, readers of attributes, and checks of more than one
// family.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Lists longer than any rank say nothing that could be checked.
static constexpr int64_t maxList = 1 << 16;

RankedTensorType zenith::stablehlo::tensorOf(Type type) {
  return dyn_cast<RankedTensorType>(type);
}
RankedTensorType zenith::stablehlo::tensorOf(Value value) {
  return tensorOf(value.getType());
}
SmallVector<RankedTensorType> zenith::stablehlo::tensorsOf(ValueRange values) {
  SmallVector<RankedTensorType> types;
  for (Value value : values)
    types.push_back(tensorOf(value));
  return types;
}

bool zenith::stablehlo::elementsAgree(Type a, Type b) {
  a = getElementTypeOrSelf(a);
  b = getElementTypeOrSelf(b);
  auto complexA = dyn_cast<ComplexType>(a), complexB = dyn_cast<ComplexType>(b);
  if (complexA && complexB)
    return elementsAgree(complexA.getElementType(), complexB.getElementType());
  auto quantA = dyn_cast<quant::QuantizedType>(a),
       quantB = dyn_cast<quant::QuantizedType>(b);
  if (quantA && quantB &&
      (quantA.getStorageType() != quantB.getStorageType() ||
       quantA.getStorageTypeMin() != quantB.getStorageTypeMin() ||
       quantA.getStorageTypeMax() != quantB.getStorageTypeMax()))
    return false;
  return (quantA ? quantA.getExpressedType() : a) ==
         (quantB ? quantB.getExpressedType() : b);
}

bool zenith::stablehlo::dimsAgree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

int64_t zenith::stablehlo::sumOf(int64_t a, int64_t b) {
  int64_t sum;
  bool known = !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
               !llvm::AddOverflow(a, b, sum);
  return known ? sum : ShapedType::kDynamic;
}
int64_t zenith::stablehlo::productOf(int64_t a, int64_t b) {
  int64_t product;
  bool known = !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
               !llvm::MulOverflow(a, b, product);
  return known ? product : ShapedType::kDynamic;
}

static int64_t boundOf(RankedTensorType type, unsigned dim) {
  auto bounds = dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  return bounds && dim < bounds.getBounds().size() ? bounds.getBounds()[dim]
                                                   : ShapedType::kDynamic;
}

bool zenith::stablehlo::shapesAgree(Type a, Type b) {
  RankedTensorType first = tensorOf(a), second = tensorOf(b);
  if (!first || !second)
    return false;
  if (first.getRank() != second.getRank())
    return false;
  for (unsigned i = 0; i < first.getRank(); ++i) {
    int64_t m = first.getDimSize(i), n = second.getDimSize(i);
    if (!dimsAgree(m, n))
      return false;
    // A known size must fit into the other's bound.
    int64_t bound = boundOf(ShapedType::isDynamic(m) ? first : second, i);
    int64_t size = ShapedType::isDynamic(m) ? n : m;
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size) &&
        size > bound && m != n)
      return false;
  }
  return true;
}

bool zenith::stablehlo::typesAgree(Type a, Type b) {
  auto tupleA = dyn_cast<TupleType>(a), tupleB = dyn_cast<TupleType>(b);
  if (tupleA && tupleB)
    return typesAgree(TypeRange(tupleA.getTypes()),
                      TypeRange(tupleB.getTypes()));
  if (!isa<TensorType>(a) || !isa<TensorType>(b))
    return a == b;
  return elementsAgree(a, b) && shapesAgree(a, b);
}

bool zenith::stablehlo::typesAgree(TypeRange a, TypeRange b) {
  if (a.size() != b.size())
    return false;
  for (auto [first, second] : llvm::zip(a, b))
    if (!typesAgree(first, second))
      return false;
  return true;
}

unsigned zenith::stablehlo::floatBits(Type element) {
  if (const NarrowFormat *format = NarrowFormat::of(element))
    return format->width();
  return isa<FloatType>(element) ? element.getIntOrFloatBitWidth() : 0;
}

bool zenith::stablehlo::isPromotable(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  if (from == to)
    return true;
  auto intFrom = dyn_cast<IntegerType>(from), intTo = dyn_cast<IntegerType>(to);
  if (intFrom && intTo)
    return intFrom.isUnsigned() == intTo.isUnsigned() &&
           (intFrom.getWidth() == 1) == (intTo.getWidth() == 1) &&
           intFrom.getWidth() <= intTo.getWidth();
  unsigned floatFrom = floatBits(from), floatTo = floatBits(to);
  if (floatFrom && floatTo)
    return floatFrom <= floatTo;
  auto complexFrom = dyn_cast<ComplexType>(from),
       complexTo = dyn_cast<ComplexType>(to);
  if (complexFrom && complexTo)
    return isPromotable(complexFrom.getElementType(),
                        complexTo.getElementType());
  auto quantFrom = dyn_cast<quant::QuantizedType>(from),
       quantTo = dyn_cast<quant::QuantizedType>(to);
  return quantFrom && quantTo &&
         quantFrom.getExpressedType() == quantTo.getExpressedType() &&
         quantFrom.getStorageType().getIntOrFloatBitWidth() <=
             quantTo.getStorageType().getIntOrFloatBitWidth();
}

std::optional<Integers> zenith::stablehlo::maybeIntegers(Operation *op,
                                                         llvm::StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return Integers(array.asArrayRef());
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getNumElements() > maxList)
    return std::nullopt;
  Integers list;
  for (const APInt &value : elements.getValues<APInt>())
    list.push_back(value.getSExtValue());
  return list;
}

Integers zenith::stablehlo::integersOf(Operation *op, llvm::StringRef name) {
  return maybeIntegers(op, name).value_or(Integers());
}

int64_t zenith::stablehlo::integerOf(Operation *op, llvm::StringRef name,
                                     int64_t absent) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number && number.getValue().getBitWidth() <= 64
             ? number.getValue().getSExtValue()
             : absent;
}

std::optional<Integers> zenith::stablehlo::constantOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().stripDialect() != "constant")
    return std::nullopt;
  auto elements = op->getAttrOfType<DenseIntElementsAttr>("value");
  if (!elements || elements.getNumElements() > maxList)
    return std::nullopt;
  Integers list;
  for (const APInt &number : elements.getValues<APInt>())
    list.push_back(number.getSExtValue());
  return list;
}

std::string zenith::stablehlo::listText(llvm::ArrayRef<int64_t> list) {
  return llvm::join(llvm::map_range(list,
                                    [](int64_t value) {
                                      return ShapedType::isDynamic(value)
                                                 ? "?"
                                                 : std::to_string(value);
                                    }),
                    ", ");
}
std::string zenith::stablehlo::shapeText(llvm::ArrayRef<int64_t> dims) {
  return "[" + listText(dims) + "]";
}
std::string zenith::stablehlo::typesText(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(types, os,
                        [&](Type type) { os << "'" << type << "'"; });
  return os.str();
}

LogicalResult zenith::stablehlo::checkResults(Operation *op,
                                              llvm::ArrayRef<Type> inferred) {
  if (typesAgree(TypeRange(inferred), op->getResultTypes()))
    return success();
  return op->emitOpError("inferred type(s) ")
         << typesText(TypeRange(inferred))
         << " are incompatible with return type(s) of operation "
         << typesText(op->getResultTypes());
}

LogicalResult zenith::stablehlo::checkAtLeast(Operation *op,
                                              llvm::StringRef name,
                                              int64_t least, unsigned width) {
  if (!op->getAttr(name) || integerOf(op, name) >= least)
    return success();
  return op->emitOpError("attribute '")
         << name << "' failed to satisfy constraint: " << width
         << "-bit signless integer attribute whose value is "
         << (least ? "positive" : "non-negative");
}

LogicalResult zenith::stablehlo::checkSizes(Operation *op, llvm::StringRef name,
                                            uint64_t size) {
  std::optional<Integers> list = maybeIntegers(op, name);
  if (!list || list->size() == size)
    return success();
  return op->emitOpError() << name << " size (" << list->size()
                           << ") does not match operand rank (" << size << ")";
}

bool zenith::stablehlo::hasDuplicates(llvm::ArrayRef<int64_t> list) {
  llvm::DenseSet<int64_t> seen;
  return llvm::any_of(list, [&](int64_t v) { return !seen.insert(v).second; });
}

std::optional<int64_t>
zenith::stablehlo::duplicateOf(llvm::ArrayRef<int64_t> a,
                               llvm::ArrayRef<int64_t> b) {
  llvm::DenseSet<int64_t> seen;
  for (llvm::ArrayRef<int64_t> list : {a, b})
    for (int64_t value : list)
      if (!seen.insert(value).second)
        return value;
  return std::nullopt;
}

LogicalResult zenith::stablehlo::checkStaticOrBounded(Operation *op,
                                                      Type type) {
  RankedTensorType tensor = tensorOf(type);
  if (!tensor || tensor.hasStaticShape())
    return success();
  for (unsigned i = 0; i < tensor.getRank(); ++i)
    if (tensor.isDynamicDim(i) && ShapedType::isDynamic(boundOf(tensor, i)))
      return op->emitOpError("result #0 must be statically shaped or single "
                             "bounded dimension tensor, but got ")
             << typesText(type);
  if (tensor.getNumDynamicDims() > 1)
    return op->emitOpError("result #0 must be statically shaped or single "
                           "bounded dimension tensor, but got ")
           << typesText(type);
  return success();
}

LogicalResult
zenith::stablehlo::checkReplicaGroups(Operation *op, bool sameSize,
                                      bool useGlobalIds,
                                      std::optional<int64_t> groupSize) {
  auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!groups || groups.getNumElements() > maxList)
    return success();
  auto type = cast<ShapedType>(groups.getType());
  if (type.getRank() != 2)
    return op->emitOpError("replica groups should be a rank 2 tensor");
  if (useGlobalIds && groups.empty())
    return op->emitOpError("if `use_global_device_ids` is set, the replica "
                           "groups cannot be empty");
  llvm::DenseSet<int64_t> seen;
  for (const APInt &value : groups.getValues<APInt>()) {
    int64_t id = value.getSExtValue();
    // -1 fills groups of different sizes.
    if (id == -1 && sameSize)
      return op->emitOpError("Invalid replica id -1");
    if (id != -1 && !seen.insert(id).second)
      return op->emitOpError("replica id #") << id << " seen more than once";
  }
  // Devices that no broadcast reaches get zeros.
  bool all = op->getName().getStringRef() != "stablehlo.collective_broadcast";
  for (int64_t id = 0, count = seen.size(); all && id < count; ++id)
    if (!seen.count(id))
      return op->emitOpError("replica id #")
             << id << " not seen in replica groups";
  bool empty = type.getDimSize(0) == 0;
  if (groupSize && (empty || type.getDimSize(1) != *groupSize))
    return op->emitOpError("group size of replica_groups must be ")
           << *groupSize;
  return success();
}

std::optional<TypeRange> zenith::stablehlo::returnTypes(Region &region) {
  if (region.empty() || region.front().empty())
    return std::nullopt;
  Operation &last = region.front().back();
  if (last.getName().stripDialect() != "return")
    return std::nullopt;
  return TypeRange(last.getOperandTypes());
}
