// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes as sums of products, reduced before they can overflow.

#include "frontends/cayley/BuildHashes.h"

#include "frontends/cayley/StateOps.h"
#include "ir/GraphDialect.h"
#include "ir/interpreter/random/CounterHash.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

static constexpr int64_t anySize = ShapedType::kDynamic;
static constexpr int64_t prime = (int64_t(1) << 31) - 1;

namespace {

class HashBuilder {
public:
  HashBuilder(int64_t width, const HashOptions &options, MLIRContext *context)
      : width(width), options(options), builder(context),
        location(NameLoc::get(builder.getStringAttr("hash"))),
        rows(builder, location) {}

  OwningOpRef<ModuleOp> build(Type element);

private:
  Type unsignedType(unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/false);
  }
  Value splat(int64_t value, RankedTensorType type, Value n) {
    return rows.broadcast(rows.constant({value}, {}, type.getElementType()),
                          type, {}, n);
  }
  /// In 0 to modulus - 1 as i64.
  Value reduced(Value a, int64_t modulus, Value n) {
    auto type = cast<RankedTensorType>(a.getType());
    // The modulus does not fit narrow types, and numbers above 2^63 not i64.
    bool isWide = type.getElementType() == unsignedType(64);
    if (!isWide)
      a = rows.convert(a, rows.i64());
    auto wide = rows.type(type.getShape(), isWide ? unsignedType(64)
                                                  : Type(rows.i64()));
    Value rest = builder.create<graph::FloorModOp>(
        location, a, splat(modulus, wide, n));
    return rows.convert(rest, rows.i64());
  }
  Value matrix();
  Value matrixHashes(Value states, Value n);
  Value polynomials(Value states, Value n);

  int64_t width;
  const HashOptions &options;
  OpBuilder builder;
  Location location;
  RowBuilder rows;
};

} // namespace

/// Numbers below the prime, [width, lanes]: jax.random.bits, in which word i is
/// Threefry of the counter i (jax_threefry_partitionable).
Value HashBuilder::matrix() {
  interpreter::Words2 key = interpreter::halvesOf(options.seed);
  std::swap(key.first, key.second);
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < width * options.lanes; ++i) {
    interpreter::Words2 words =
        interpreter::threefry({uint32_t(uint64_t(i) >> 32), uint32_t(i)}, key);
    numbers.push_back(int64_t(words.first ^ words.second) % prime);
  }
  return rows.constant(numbers, {width, options.lanes}, rows.i64());
}

/// Each product is below 2^62 and is reduced before it is added; 2^32 reduced
/// products fit i64.
Value HashBuilder::matrixHashes(Value states, Value n) {
  RankedTensorType products =
      rows.type({anySize, width, options.lanes}, rows.i64());
  Value left = rows.broadcast(reduced(states, prime, n), products, {0, 1}, n);
  Value right = rows.broadcast(matrix(), products, {1, 2}, n);
  Value terms = reduced(rows.mul(left, right), prime, n);
  return reduced(rows.fold(graph::ReduceKind::sum, terms, {1}), prime, n);
}

/// The sum of (x[i] + 1) * c^(width - 1 - i), where ui32 wraps around.
Value HashBuilder::polynomials(Value states, Value n) {
  SmallVector<int64_t> powers(width);
  uint32_t power = 1;
  for (int64_t i = width; i-- > 0; power *= 0x01000193)
    powers[i] = power;
  constexpr int64_t words = int64_t(1) << 32;
  RankedTensorType type = rows.type({anySize, width}, unsignedType(32));
  Value numbers = rows.convert(reduced(states, words, n), unsignedType(32));
  Value factors = rows.broadcast(
      rows.constant(powers, {width}, unsignedType(32)), type, {1}, n);
  Value sum = rows.fold(
      graph::ReduceKind::sum,
      rows.mul(rows.add(numbers, splat(1, type, n)), factors), {1});
  return rows.reshape(sum, rows.type({anySize, 1}, unsignedType(32)), n);
}

OwningOpRef<ModuleOp> HashBuilder::build(Type element) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  bool isMatrix = options.kind == HashKind::Matrix;
  RankedTensorType result = isMatrix
                                ? rows.type({anySize, options.lanes}, rows.i64())
                                : rows.type({anySize, 1}, unsignedType(32));
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType(rows.type({anySize, width}, element), result));
  nameArguments(function, {"states"});
  nameResults(function, {"hashes"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value states = function.getArgument(0), n = rows.count(states);
  builder.create<func::ReturnOp>(location, isMatrix ? matrixHashes(states, n)
                                                    : polynomials(states, n));
  return module;
}

OwningOpRef<ModuleOp> buildHashes(int64_t width, Type element,
                                  const HashOptions &options,
                                  MLIRContext *context) {
  return HashBuilder(width, options, context).build(element);
}

} // namespace zenith::cayley
