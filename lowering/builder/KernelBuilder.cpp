// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one kernel function: pointer and size arguments on demand, index
// arithmetic, constants, loops.

#include "lowering/builder/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// A size that no real buffer reaches: offsets inside are then plain address
// arithmetic.
static constexpr int64_t hugeSize = int64_t(1) << 40;

Type memoryType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType();
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(element.getContext(), 8);
  if (auto type = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(),
                            std::max(8u, type.getWidth()));
  return element;
}

Type registerType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 1);
  return memoryType(element);
}

Type typeLike(Type scalar, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), scalar);
  return scalar;
}

KernelBuilder::KernelBuilder(graph::FusionOp fusion, graph::DimAnalysis &dims,
                             const TargetModel &target, ModuleOp kernels,
                             StringRef name)
    : b(fusion.getContext()), loc(fusion.getLoc()), target(target),
      fusion(fusion), dims(dims) {
  Type indexType = b.getIndexType();
  func = func::FuncOp::create(loc, name,
                              b.getFunctionType({indexType, indexType}, {}));
  kernels.push_back(func);
  Block *entry = func.addEntryBlock();
  taskBegin = entry->getArgument(0);
  taskEnd = entry->getArgument(1);
  b.setInsertionPointToEnd(entry);
}

Value KernelBuilder::pointer(PointerArg what, Type memoryElement) {
  Block &entry = func.getBody().front();
  for (auto [number, known] : llvm::enumerate(pointers))
    if (known.kind == what.kind && known.index == what.index)
      return entry.getArgument(number);
  unsigned number = pointers.size();
  pointers.push_back(what);
  return entry.insertArgument(number,
                              MemRefType::get({hugeSize}, memoryElement), loc);
}

Value KernelBuilder::operand(unsigned index) {
  Value value = fusion.getInputs()[index];
  unsigned first =
      llvm::find(fusion.getInputs(), value) - fusion.getInputs().begin();
  return pointer({PointerArg::Operand, first},
                 memoryType(getElementTypeOrSelf(value.getType())));
}

Value KernelBuilder::result(unsigned index) {
  return pointer(
      {PointerArg::Result, index},
      memoryType(getElementTypeOrSelf(fusion.getResultTypes()[index])));
}

Value KernelBuilder::scratch(unsigned index, Type memoryElement) {
  return pointer({PointerArg::Scratch, index}, memoryElement);
}

Value KernelBuilder::count(unsigned index) {
  return pointer({PointerArg::Count, index}, b.getI64Type());
}

std::optional<unsigned> KernelBuilder::resultOf(Value value) const {
  graph::FusionOp op = fusion;
  auto yielded = op.getBody().front().getTerminator()->getOperands();
  auto found = llvm::find(yielded, value);
  if (found == yielded.end())
    return std::nullopt;
  return unsigned(found - yielded.begin());
}

Value KernelBuilder::size(const graph::DimExpr &expr) {
  if (auto value = expr.constant())
    return index(*value);
  Block &entry = func.getBody().front();
  unsigned number = llvm::find(sizes, expr) - sizes.begin();
  if (number < sizes.size())
    return entry.getArgument(pointers.size() + number);
  sizes.push_back(expr);
  return entry.insertArgument(unsigned(pointers.size()) + number,
                              b.getIndexType(), loc);
}

void KernelBuilder::moveToEntry() {
  if (lastEntryOp)
    b.setInsertionPointAfter(lastEntryOp);
  else
    b.setInsertionPointToStart(&func.getBody().front());
}

Value KernelBuilder::constantInEntry(TypedAttr value) {
  Value &known = constants[value];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  moveToEntry();
  auto op = b.create<arith::ConstantOp>(loc, value);
  lastEntryOp = op;
  return known = op;
}

Value KernelBuilder::constant(TypedAttr value) {
  return constantInEntry(value);
}

Value KernelBuilder::index(int64_t value) {
  return constantInEntry(b.getIndexAttr(value));
}

static TypedAttr splatLike(Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, Attribute(element));
  return element;
}

Value KernelBuilder::constant(Type type, double value) {
  return constantInEntry(
      splatLike(type, b.getFloatAttr(getElementTypeOrSelf(type), value)));
}

Value KernelBuilder::integer(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return constantInEntry(splatLike(type, b.getIndexAttr(value)));
  APInt bits(64, value, true);
  return constantInEntry(splatLike(
      type,
      b.getIntegerAttr(element, bits.trunc(element.getIntOrFloatBitWidth()))));
}

std::optional<int64_t> KernelBuilder::constantOf(Value x) const {
  APInt value;
  if (matchPattern(x, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

static constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;

Value KernelBuilder::add(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right)
    return index(*left + *right);
  if (left == 0)
    return y;
  if (right == 0)
    return x;
  return b.create<arith::AddIOp>(loc, x, y, noWrap);
}

Value KernelBuilder::sub(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right)
    return index(*left - *right);
  if (right == 0)
    return x;
  if (x == y)
    return index(0);
  return b.create<arith::SubIOp>(loc, x, y, noWrap);
}

Value KernelBuilder::mul(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right)
    return index(*left * *right);
  if (left == 1 || right == 0)
    return y;
  if (right == 1 || left == 0)
    return x;
  return b.create<arith::MulIOp>(loc, x, y, noWrap);
}

std::optional<unsigned> KernelBuilder::sizeOf(Value x) {
  auto argument = dyn_cast<BlockArgument>(x);
  if (!argument || argument.getOwner() != &func.getBody().front() ||
      argument.getArgNumber() < pointers.size())
    return std::nullopt;
  unsigned number = argument.getArgNumber() - pointers.size();
  return number < sizes.size() ? std::optional(number) : std::nullopt;
}

Value KernelBuilder::divisor(Value size) {
  Value one = index(1);
  if (auto known = constantOf(size))
    return *known > 0 ? size : one;
  std::optional<unsigned> number = sizeOf(size);
  if (!number)
    return max(size, one);
  divisors.resize(sizes.size());
  Value &positive = divisors[*number];
  if (!positive && DimExpr(1).provablyAtMost(sizes[*number]))
    positive = size;
  if (!positive) {
    OpBuilder::InsertionGuard guard(b);
    moveToEntry();
    positive = max(size, one);
    entryEndsWith(positive.getDefiningOp());
  }
  return positive;
}

Value KernelBuilder::div(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right && *right != 0)
    return index(*left / *right);
  if (right == 1 || left == 0)
    return x;
  return b.create<arith::DivUIOp>(loc, x, divisor(y));
}

Value KernelBuilder::rem(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right && *right != 0)
    return index(*left % *right);
  if (right == 1 || left == 0)
    return index(0);
  return b.create<arith::RemUIOp>(loc, x, divisor(y));
}

Value KernelBuilder::min(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right)
    return index(std::min(*left, *right));
  return x == y ? x : b.create<arith::MinSIOp>(loc, x, y).getResult();
}

Value KernelBuilder::max(Value x, Value y) {
  auto left = constantOf(x), right = constantOf(y);
  if (left && right)
    return index(std::max(*left, *right));
  return x == y ? x : b.create<arith::MaxSIOp>(loc, x, y).getResult();
}

Value KernelBuilder::broadcast(Value x, unsigned lanes) {
  if (lanes == 1 || isa<VectorType>(x.getType()))
    return x;
  auto type = VectorType::get({int64_t(lanes)}, x.getType());
  Attribute known;
  if (matchPattern(x, m_Constant(&known)) &&
      x.getParentBlock() == &func.getBody().front())
    return constantInEntry(DenseElementsAttr::get(type, known));
  return b.create<vector::BroadcastOp>(loc, type, x);
}

Value KernelBuilder::mask(Value count, unsigned lanes) {
  auto type = VectorType::get({int64_t(lanes)}, b.getI1Type());
  return b.create<vector::CreateMaskOp>(loc, type, ValueRange{count});
}

void KernelBuilder::loop(Value low, Value high, Value step, Body body) {
  loop(low, high, step, {}, [&](Value iv, ValueRange) {
    body(iv);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::loop(Value low, Value high, Value step,
                                       ValueRange carried, CarryBody body) {
  auto op =
      b.create<scf::ForOp>(loc, low, high, step, carried,
                           [](OpBuilder &, Location, Value, ValueRange) {});
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = op.getBody();
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    SmallVector<Value> next =
        body(op.getInductionVar(), op.getRegionIterArgs());
    b.create<scf::YieldOp>(loc, next);
  }
  return SmallVector<Value>(op.getResults());
}

void KernelBuilder::ifThen(Value condition, function_ref<void()> body) {
  auto op = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op.thenBlock()->getTerminator());
  body();
}

void KernelBuilder::laneLoop(Value low, Value high, unsigned lanes,
                             function_ref<void(Value, Value)> body) {
  Value step = index(lanes);
  Value count = sub(high, low);
  Value rest = rem(count, step);
  Value full = sub(high, rest);
  auto knownCount = constantOf(count), knownRest = constantOf(rest);
  if (!knownCount || *knownCount >= lanes) {
    loop(low, full, step, [&](Value start) { body(start, Value()); });
    if (knownRest == 0)
      return;
  }
  if (knownRest) {
    if (*knownRest > 0)
      body(full, mask(rest, lanes));
    return;
  }
  Value some =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, rest, index(0));
  ifThen(some, [&] { body(full, mask(rest, lanes)); });
}

Launch KernelBuilder::finish(graph::DimExpr tasks, double costPerTask) {
  b.create<func::ReturnOp>(loc);
  Block &entry = func.getBody().front();
  func.setFunctionType(b.getFunctionType(entry.getArgumentTypes(), {}));
  Launch launch;
  launch.kernel = func;
  launch.pointers = pointers;
  launch.sizes = sizes;
  launch.tasks = std::move(tasks);
  launch.costPerTask = costPerTask;
  return launch;
}

SmallVector<Value> digitsOf(KernelBuilder &k, Value flat,
                            ArrayRef<DimExpr> sizes) {
  SmallVector<Value> digits(sizes.size());
  for (unsigned i = sizes.size(); i-- > 0;) {
    Value size = k.size(sizes[i]);
    digits[i] = i ? k.rem(flat, size) : flat;
    if (i)
      flat = k.div(flat, size);
  }
  return digits;
}

DimExpr productOf(ArrayRef<DimExpr> sizes) {
  DimExpr all = 1;
  for (const DimExpr &size : sizes)
    all = all * size;
  return all;
}

Value multiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value sum,
                  bool fused) {
  if (isa<IntegerType>(getElementTypeOrSelf(sum.getType())))
    return b.create<arith::AddIOp>(loc, sum,
                                   b.create<arith::MulIOp>(loc, x, y));
  if (fused)
    return b.create<math::FmaOp>(loc, x, y, sum);
  return b.create<arith::AddFOp>(loc, sum, b.create<arith::MulFOp>(loc, x, y));
}

} // namespace zenith::kernels
