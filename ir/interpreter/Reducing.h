// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions: accumulator type, neutral element, step and result of each
// kind, for every element type.

#ifndef ZENITH_IR_INTERPRETER_REDUCING_H
#define ZENITH_IR_INTERPRETER_REDUCING_H

#include "ir/GraphDialect.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/tensor/BlockedSum.h"
#include <limits>

namespace zenith::interpreter {

/// Sums and products: integers wrap, other types are rounded by blocks.
template <typename T, typename Join, int neutral> struct ArithmeticReduce {
  using State = BlockedReduce<T, Join, neutral>;
  static State start(unsigned) { return State(); }
  static State step(State state, T value) {
    state.add(value);
    return state;
  }
};
template <typename T> using SumReduce = ArithmeticReduce<T, std::plus<>, 0>;
template <typename T>
using ProdReduce = ArithmeticReduce<T, std::multiplies<>, 1>;
template <typename T> struct MaxReduce {
  using State = T;
  static State start(unsigned width) {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    else
      return lowestOf<T>(width);
  }
  static State step(State state, T value) { return maxOf(state, value); }
};
template <typename T> struct MinReduce {
  using State = T;
  static State start(unsigned width) {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::infinity();
    else
      return highestOf<T>(width);
  }
  static State step(State state, T value) { return minOf(state, value); }
};
template <typename T> struct AllReduce {
  using State = uint64_t;
  static State start(unsigned) { return ~uint64_t(0); }
  static State step(State state, T value) { return state & uint64_t(value); }
};
template <typename T> struct AnyReduce {
  using State = uint64_t;
  static State start(unsigned) { return 0; }
  static State step(State state, T value) { return state | uint64_t(value); }
};
template <typename T> struct ParityReduce {
  using State = uint64_t;
  static State start(unsigned) { return 0; }
  static State step(State state, T value) { return state ^ uint64_t(value); }
};

/// The element that a wide sum rounds or wraps to.
template <typename T, typename Sum> T elementOfSum(Sum sum, unsigned width) {
  if constexpr (std::is_integral_v<T>)
    return wrapTo<T>(uint64_t(sum), width);
  else if constexpr (std::is_floating_point_v<T>)
    return T(sum);
  else
    return T(typename T::value_type(sum.real()),
             typename T::value_type(sum.imag()));
}

/// The element that a reduction's state gives.
template <typename T, typename State>
T reduceResult(State state, unsigned width) {
  if constexpr (std::is_arithmetic_v<State>)
    return elementOfSum<T>(state, width);
  else
    return elementOfSum<T>(state.value(), width);
}

/// Calls fn(TypeTag<T>, Reduction<T>, width) for the reduction of `kind` on
/// elements of `element` (small floats widened to f32 before); false if there
/// is none.
template <typename Fn>
bool visitReduction(graph::ReduceKind kind, mlir::Type element, Fn &&fn) {
  using graph::ReduceKind;
  auto arithmetic = [&](auto tag, unsigned width) {
    using T = typename decltype(tag)::type;
    if (kind == ReduceKind::sum)
      return fn(tag, SumReduce<T>(), width), true;
    if (kind == ReduceKind::prod)
      return fn(tag, ProdReduce<T>(), width), true;
    return false;
  };
  auto ordered = [&](auto tag, unsigned width) {
    using T = typename decltype(tag)::type;
    if (kind == ReduceKind::max)
      return fn(tag, MaxReduce<T>(), width), true;
    if (kind == ReduceKind::min)
      return fn(tag, MinReduce<T>(), width), true;
    return false;
  };
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element))
    return complex.getElementType().isF32()
               ? arithmetic(TypeTag<std::complex<float>>(), 0)
               : arithmetic(TypeTag<std::complex<double>>(), 0);
  if (element.isF32())
    return arithmetic(TypeTag<float>(), 32) || ordered(TypeTag<float>(), 32);
  if (element.isF64())
    return arithmetic(TypeTag<double>(), 64) || ordered(TypeTag<double>(), 64);
  if (!mlir::isa<mlir::IntegerType>(element))
    return false;
  return visitInteger(element, [&](auto tag, unsigned width) {
    using T = typename decltype(tag)::type;
    if (kind == ReduceKind::all)
      return fn(tag, AllReduce<T>(), width), true;
    if (kind == ReduceKind::any)
      return fn(tag, AnyReduce<T>(), width), true;
    if (kind == ReduceKind::parity)
      return fn(tag, ParityReduce<T>(), width), true;
    return arithmetic(tag, width) || ordered(tag, width);
  });
}

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_REDUCING_H
