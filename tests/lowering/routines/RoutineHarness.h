// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of kernels that call routines share: a check beside the
// interpreter, and inputs of special values or of fractions.

#ifndef ZENITH_TESTS_LOWERING_ROUTINES_ROUTINEHARNESS_H
#define ZENITH_TESTS_LOWERING_ROUTINES_ROUTINEHARNESS_H

#include "ir/tensor/Scalar.h"
#include "lowering/kernels/EmitKernels.h"
#include "tests/lowering/kernels/FusionText.h"
#include "tests/lowering/kernels/KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

namespace zenith::testing {

/// Checks kernels that call routines beside the interpreter.
class RoutineKernelTest : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};
  void check(const std::string &arguments, const std::string &results,
             const std::string &body, const std::string &yields,
             std::vector<std::vector<int64_t>> shapes = {}) {
    SCOPED_TRACE(body);
    harness.check(fusionText("routine", arguments, results, body, yields),
                  std::move(shapes));
  }
  /// Few distinct numbers, NaN, infinities and both zeros.
  void fillSpecial() {
    harness.fill = [](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor = smallIntegers(type, number + 1);
      mlir::Type element = type.getElementType();
      if (!mlir::isa<mlir::FloatType>(element))
        return tensor;
      interpreter::ElementAccess access(element);
      const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
      for (int64_t i = 0; i < tensor.size(); i += 3)
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofFloat(special[i / 3 % 5]));
      return tensor;
    };
  }
  /// Numbers between -1 and 1; diagonals of square matrices are raised.
  void fillFractions() {
    harness.fill = [](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor(type);
      interpreter::ElementAccess access(type.getElementType());
      uint32_t state = number * 77 + 5;
      auto shape = type.getShape();
      int64_t columns = shape.empty() ? 1 : shape.back();
      bool square = shape.size() >= 2 && shape[shape.size() - 2] == columns;
      for (int64_t i = 0; i < tensor.size(); ++i) {
        auto next = [&] {
          state = state * 1664525u + 1013904223u;
          return double(state >> 8) / (1 << 23) - 1;
        };
        double real = next(), imag = next();
        int64_t row = i / columns % std::max<int64_t>(1, columns);
        if (square && row == i % columns) {
          real += double(columns) + 2;
          imag = 0;
        }
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofComplex(real, imag));
      }
      return tensor;
    };
  }
};

const char *const elementTypes[] = {"i1",   "i4",  "ui4",  "i8",   "i16",
                                    "i32",  "i64", "ui8",  "ui16", "ui32",
                                    "ui64", "f16", "bf16", "f32",  "f64"};

inline std::string tensor(const std::string &shape,
                          const std::string &element) {
  return "tensor<" + shape + element + ">";
}

} // namespace zenith::testing

#endif // ZENITH_TESTS_LOWERING_ROUTINES_ROUTINEHARNESS_H
