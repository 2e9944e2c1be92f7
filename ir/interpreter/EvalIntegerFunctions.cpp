// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of integers and booleans: computed in 64 bits, wrapped
// to the width of the element.

#include "ir/interpreter/EvalElementwise.h"

#include "ir/interpreter/ElementLoops.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
// W is int64_t or uint64_t; operands are elements of `width` bits.
template <typename W> struct Unary {
  static W abs(W x, unsigned) { return x < 0 ? W(0 - uint64_t(x)) : x; }
  static W neg(W x, unsigned) { return W(0 - uint64_t(x)); }
  static W sign(W x, unsigned) { return x < 0 ? W(-1) : W(x != 0); }
  static W complement(W x, unsigned) { return W(~uint64_t(x)); }
  static uint64_t bitsOf(W x, unsigned width) {
    return uint64_t(x) << (64 - width);
  }
  static W popcount(W x, unsigned width) {
    return W(__builtin_popcountll(bitsOf(x, width)));
  }
  static W countLeadingZeros(W x, unsigned width) {
    uint64_t bits = bitsOf(x, width);
    return W(bits ? unsigned(__builtin_clzll(bits)) : width);
  }
};

template <typename W> struct Binary {
  static W add(W x, W y, unsigned) { return W(uint64_t(x) + uint64_t(y)); }
  static W sub(W x, W y, unsigned) { return W(uint64_t(x) - uint64_t(y)); }
  static W mul(W x, W y, unsigned) { return W(uint64_t(x) * uint64_t(y)); }
  static W div(W x, W y, unsigned) {
    if (y == 0)
      return W(-1);
    if (std::is_signed_v<W> && y == W(-1))
      return W(0 - uint64_t(x));
    return x / y;
  }
  static W rem(W x, W y, unsigned) {
    if (y == 0)
      return x;
    return std::is_signed_v<W> && y == W(-1) ? 0 : x % y;
  }
  static W floorMod(W x, W y, unsigned width) {
    W r = rem(x, y, width);
    return y != 0 && r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
  static W pow(W x, W y, unsigned) {
    if (y < 0)
      return x == 1 ? 1 : x == W(-1) ? (y % 2 ? W(-1) : 1) : 0;
    uint64_t result = 1, base = uint64_t(x);
    for (uint64_t n = uint64_t(y); n; n >>= 1, base *= base)
      if (n & 1)
        result *= base;
    return W(result);
  }
  static W max(W x, W y, unsigned) { return x < y ? y : x; }
  static W min(W x, W y, unsigned) { return y < x ? y : x; }
  static W bitAnd(W x, W y, unsigned) { return x & y; }
  static W bitOr(W x, W y, unsigned) { return x | y; }
  static W bitXor(W x, W y, unsigned) { return x ^ y; }
  // A negative amount is an unsigned one beyond the width.
  static bool beyond(W y, unsigned width) { return uint64_t(y) >= width; }
  static W shiftLeft(W x, W y, unsigned width) {
    return beyond(y, width) ? 0 : W(uint64_t(x) << uint64_t(y));
  }
  static W shiftRightArithmetic(W x, W y, unsigned width) {
    unsigned amount = beyond(y, width) ? width - 1 : unsigned(y);
    int64_t value = int64_t(uint64_t(x) << (64 - width)) >> (64 - width);
    return W(value >> amount);
  }
  static W shiftRightLogical(W x, W y, unsigned width) {
    return beyond(y, width) ? 0
                            : W((uint64_t(x) << (64 - width)) >> (64 - width) >>
                                uint64_t(y));
  }
};
} // namespace

template <typename W>
IntegerFunction<W> zenith::interpreter::integerFunction(StringRef mnemonic) {
  using F = Unary<W>;
  return llvm::StringSwitch<IntegerFunction<W>>(mnemonic)
      .Case("abs", F::abs)
      .Case("neg", F::neg)
      .Case("sign", F::sign)
      .Case("not", F::complement)
      .Case("popcount", F::popcount)
      .Case("count_leading_zeros", F::countLeadingZeros)
      .Default(nullptr);
}

template <typename W>
IntegerFunction2<W> zenith::interpreter::integerFunction2(StringRef mnemonic) {
  using F = Binary<W>;
  return llvm::StringSwitch<IntegerFunction2<W>>(mnemonic)
      .Case("add", F::add)
      .Case("sub", F::sub)
      .Case("mul", F::mul)
      .Case("div", F::div)
      .Case("rem", F::rem)
      .Case("floor_mod", F::floorMod)
      .Case("pow", F::pow)
      .Case("max", F::max)
      .Case("min", F::min)
      .Case("and", F::bitAnd)
      .Case("or", F::bitOr)
      .Case("xor", F::bitXor)
      .Case("shift_left", F::shiftLeft)
      .Case("shift_right_arithmetic", F::shiftRightArithmetic)
      .Case("shift_right_logical", F::shiftRightLogical)
      .Default(nullptr);
}

namespace zenith::interpreter {
template IntegerFunction<int64_t> integerFunction(StringRef);
template IntegerFunction<uint64_t> integerFunction(StringRef);
template IntegerFunction2<int64_t> integerFunction2(StringRef);
template IntegerFunction2<uint64_t> integerFunction2(StringRef);
} // namespace zenith::interpreter

// Sums and products have loops of their own, since index arithmetic uses them
// most.
template <typename T>
static bool evaluateBasic(StringRef mnemonic, const OpEvaluation &e,
                          Tensor &result, unsigned width) {
  auto map = [&](auto fn) {
    mapPairs<T, T>(result, e.operand(0), e.operand(1), [&](T x, T y) {
      return wrapTo<T>(fn(uint64_t(x), uint64_t(y)), width);
    });
    return true;
  };
  if (mnemonic == "add")
    return map([](uint64_t x, uint64_t y) { return x + y; });
  if (mnemonic == "sub")
    return map([](uint64_t x, uint64_t y) { return x - y; });
  if (mnemonic == "mul")
    return map([](uint64_t x, uint64_t y) { return x * y; });
  return false;
}

template <typename T>
static bool evaluateTyped(const OpEvaluation &e, Tensor &result,
                          unsigned width) {
  using W = Wide<T>;
  StringRef mnemonic = e.op->getName().stripDialect();
  if (e.operands.size() == 1) {
    auto fn = integerFunction<W>(mnemonic);
    if (fn)
      mapElements<T, T>(result, e.operand(0),
                        [=](T x) { return wrapTo<T>(fn(W(x), width), width); });
    return fn;
  }
  if (evaluateBasic<T>(mnemonic, e, result, width))
    return true;
  auto fn = integerFunction2<W>(mnemonic);
  if (fn)
    mapPairs<T, T>(result, e.operand(0), e.operand(1), [=](T x, T y) {
      return wrapTo<T>(fn(W(x), W(y), width), width);
    });
  return fn;
}

Expected<Tensor> zenith::interpreter::evaluateInteger(const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  bool known = visitInteger(e.resultElement(), [&](auto tag, unsigned width) {
    return evaluateTyped<typename decltype(tag)::type>(e, *result, width);
  });
  if (!known)
    return e.fail("has no meaning on integers", ErrorCode::Unsupported);
  return result;
}
