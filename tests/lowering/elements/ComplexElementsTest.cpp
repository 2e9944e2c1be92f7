// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers and floats of eight bits in kernels, beside the interpreter.

#include "ir/tensor/Scalar.h"
#include "lowering/kernels/EmitKernels.h"
#include "tests/lowering/kernels/FusionText.h"
#include "tests/lowering/kernels/KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::fusionText;
using zenith::testing::KernelHarness;

namespace {

class ComplexElementsTest : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};
  void SetUp() override {
    harness.fill = [](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor(type);
      interpreter::ElementAccess access(type.getElementType());
      for (int64_t i = 0; i < tensor.size(); ++i)
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofComplex(double(i % 17) - number,
                                                    double(i % 5) - 2));
      return tensor;
    };
  }
  void check(const std::string &kind, const std::string &arguments,
             const std::string &results, const std::string &body,
             const std::string &yields = "%r",
             std::vector<std::vector<int64_t>> shapes = {}) {
    SCOPED_TRACE(body);
    harness.check(fusionText(kind, arguments, results, body, yields),
                  std::move(shapes));
  }
};

TEST_F(ComplexElementsTest, Parts) {
  for (const char *element : {"f32", "f64"})
    for (const char *shape : {"", "1x", "7x", "3x67x", "128x"}) {
      std::string part = "tensor<" + std::string(shape) + element + ">",
                  whole = "tensor<" + std::string(shape) + "complex<" +
                          element + ">>";
      check("pointwise", "%x : " + whole + ", %y : " + whole, whole,
            "%a = graph.real %x : " + whole + " -> " + part +
                "\n%b = graph.imag %x : " + whole + " -> " + part +
                "\n%c = graph.real %y : " + whole + " -> " + part +
                "\n%d = graph.mul %a, %c : " + part +
                "\n%e = graph.sub %b, %d : " + part +
                "\n%r = graph.complex %d, %e : " + part + " -> " + whole);
      check("pointwise", "%x : " + whole, part,
            "%r = graph.imag %x : " + whole + " -> " + part);
    }
}

TEST_F(ComplexElementsTest, Movement) {
  std::string x = "tensor<19x33xcomplex<f32>>",
              y = "tensor<33x19xcomplex<f32>>";
  check("copy", "%x : " + x, x, "", "%x");
  check("copy", "%x : " + x, y,
        "%r = graph.transpose %x [1, 0] : " + x + " -> " + y);
  check("copy", "%x : " + x, x, "%r = graph.reverse %x [1] : " + x);
  check("copy", "%x : tensor<?x?xcomplex<f64>>", "tensor<?x?xcomplex<f64>>",
        "%r = graph.transpose %x [1, 0] : tensor<?x?xcomplex<f64>> -> "
        "tensor<?x?xcomplex<f64>>",
        "%r", {{5, 40}});
}

TEST_F(ComplexElementsTest, InPlace) {
  harness.sharedOperand = 0;
  check("pointwise", "%x : tensor<77xcomplex<f32>>", "tensor<77xcomplex<f32>>",
        "%a = graph.real %x : tensor<77xcomplex<f32>> -> tensor<77xf32>\n"
        "%b = graph.imag %x : tensor<77xcomplex<f32>> -> tensor<77xf32>\n"
        "%r = graph.complex %b, %a : tensor<77xf32> -> "
        "tensor<77xcomplex<f32>>");
}

TEST_F(ComplexElementsTest, Reduction) {
  check("reduction", "%x : tensor<6x50xcomplex<f32>>", "tensor<6xf32>",
        "%a = graph.imag %x : tensor<6x50xcomplex<f32>> -> tensor<6x50xf32>\n"
        "%r = graph.reduce sum, %a [1] : tensor<6x50xf32> -> tensor<6xf32>");
}

const char *const eightBits[] = {"f8E5M2", "f8E4M3FN", "f8E4M3FNUZ",
                                 "f8E5M2FNUZ", "f8E4M3B11FNUZ"};

/// All bits of the type in turn; floats of 32 and 64 bits around every number
/// of an 8-bit type and half-way between.
Tensor everyNumber(mlir::RankedTensorType type, unsigned) {
  Tensor tensor(type);
  interpreter::ElementAccess access(type.getElementType());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (access.bytes() == 1) {
      tensor.writable()[i] = char(i);
      continue;
    }
    const double special[] = {NAN,   INFINITY, -INFINITY, -0.0, 1e-30, -1e-30,
                              1e30,  448,      464,       465,  240,   248,
                              57344, 61440,    61441,     65504};
    double value =
        i < 16 ? special[i]
               : std::ldexp(1 + double(i % 32) / 32, int(i / 32) % 40 - 22) *
                     (i % 3 ? 1 : -1) * (i % 7 ? 1 : 1 + 1e-7);
    access.store(tensor.writable() + i * access.bytes(),
                 interpreter::Scalar::ofFloat(value));
  }
  return tensor;
}

TEST_F(ComplexElementsTest, EightBitFloats) {
  harness.fill = everyNumber;
  for (std::string element : eightBits) {
    std::string narrow = "tensor<256x" + element + ">",
                many = "tensor<1400x" + element + ">";
    for (const char *wide : {"f16", "f32", "f64"}) {
      check("pointwise", "%x : " + narrow,
            "tensor<256x" + std::string(wide) + ">",
            "%r = graph.convert %x : " + narrow + " -> tensor<256x" + wide +
                ">");
      for (const char *mode : {"", " saturate"})
        check("pointwise", "%x : tensor<1400x" + std::string(wide) + ">", many,
              "%r = graph.convert %x" + std::string(mode) + " : tensor<1400x" +
                  wide + "> -> " + many);
    }
    check("pointwise", "%x : " + narrow + ", %y : tensor<" + element + ">",
          narrow,
          "%b = graph.broadcast %y [] : tensor<" + element + "> -> " + narrow +
              "\n%s = graph.add %x, %b : " + narrow +
              "\n%r = graph.max %s, %x : " + narrow);
    check("pointwise", "%x : tensor<256xui8>", narrow,
          "%r = graph.bitcast %x : tensor<256xui8> -> " + narrow);
    check("pointwise", "%x : tensor<256xui8>", narrow,
          "%r = graph.convert %x : tensor<256xui8> -> " + narrow);
  }
}

} // namespace
