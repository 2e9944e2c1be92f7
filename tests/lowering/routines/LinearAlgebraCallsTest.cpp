// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrices, triangular systems and Fourier transforms beside the
// interpreter.

#include "tests/lowering/routines/RoutineHarness.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace zenith;
using zenith::testing::tensor;

namespace {

class FactorKernelTest : public zenith::testing::RoutineKernelTest {};

TEST_F(FactorKernelTest, Cholesky) {
  fillFractions();
  harness.tolerance = 2e-5;
  for (const char *element : {"f32", "f64"})
    for (const char *shape : {"1x1x", "2x3x7x7x", "33x33x", "0x0x"})
      for (const char *form : {"", " lower"}) {
        std::string x = tensor(shape, element);
        check("%x : " + x, x,
              "%r = graph.cholesky %x" + std::string(form) + " : (" + x +
                  ") -> " + x,
              "%r");
      }
}

TEST_F(FactorKernelTest, TriangularSolve) {
  fillFractions();
  harness.tolerance = 2e-5;
  for (const char *element : {"f32", "f64"})
    for (const char *form : {"plain", "transposed", "adjoint"})
      for (const char *side : {"", " left"})
        for (const char *triangle : {"", " lower"})
          for (const char *diagonal : {"", " unit_diagonal"}) {
            if (*diagonal && !*triangle)
              continue;
            std::string a = tensor("3x9x9x", element),
                        b = tensor(*side ? "3x9x4x" : "3x4x9x", element);
            check("%a : " + a + ", %b : " + b, b,
                  "%r = graph.triangular_solve " + std::string(form) +
                      ", %a, %b" + side + triangle + diagonal + " : (" + a +
                      ", " + b + ") -> " + b,
                  "%r");
          }
}

TEST_F(FactorKernelTest, Fourier) {
  fillFractions();
  harness.tolerance = 1e-5;
  for (int64_t length : {1, 2, 3, 4, 5, 7, 8, 12, 30, 31, 37, 64, 74, 210}) {
    std::string size = std::to_string(length),
                half = std::to_string(length / 2 + 1);
    for (const char *element : {"f32", "f64"}) {
      std::string complex = "complex<" + std::string(element) + ">";
      auto real = tensor("3x" + size + "x", element),
           full = tensor("3x" + size + "x", complex),
           part = tensor("3x" + half + "x", complex);
      for (const char *kind : {"c2c", "c2c_inverse"})
        check("%x : " + full, full,
              "%r = graph.fourier " + std::string(kind) + ", %x [" + size +
                  "] : (" + full + ") -> " + full,
              "%r");
      check("%x : " + real, part,
            "%r = graph.fourier r2c, %x [" + size + "] : (" + real + ") -> " +
                part,
            "%r");
      check("%x : " + part, real,
            "%r = graph.fourier c2r, %x [" + size + "] : (" + part + ") -> " +
                real,
            "%r");
    }
  }
}

TEST_F(FactorKernelTest, FourierOfSeveralDims) {
  fillFractions();
  harness.tolerance = 1e-5;
  std::string real = "tensor<2x6x5x9xf32>",
              part = "tensor<2x6x5x5xcomplex<f32>>",
              full = "tensor<2x6x5x9xcomplex<f32>>";
  for (const char *kind : {"c2c", "c2c_inverse"})
    check("%x : " + full, full,
          "%r = graph.fourier " + std::string(kind) + ", %x [6, 5, 9] : (" +
              full + ") -> " + full,
          "%r");
  check("%x : " + real, part,
        "%r = graph.fourier r2c, %x [6, 5, 9] : (" + real + ") -> " + part,
        "%r");
  check("%x : " + part, real,
        "%r = graph.fourier c2r, %x [6, 5, 9] : (" + part + ") -> " + real,
        "%r");
}

TEST_F(FactorKernelTest, Lapack) {
  if (!llvm::sys::DynamicLibrary::getPermanentLibrary("liblapack.so.3")
           .isValid())
    GTEST_SKIP() << "this machine has no LAPACK";
  fillFractions();
  harness.tolerance = 1e-4;
  for (const char *element : {"f32", "f64"}) {
    std::string a = tensor("2x5x5x", element), tau = tensor("2x5x", element);
    check("%x : " + a, a + ", tensor<2x5xi32>, tensor<2xi32>",
          "%r:3 = graph.custom_call \"lapack_getrf\" (%x) : (" + a + ") -> (" +
              a + ", tensor<2x5xi32>, tensor<2xi32>)",
          "%r#0, %r#1, %r#2");
    check("%x : " + a, a + ", " + tau,
          "%r:2 = graph.custom_call \"lapack_geqrf\" (%x) : (" + a + ") -> (" +
              a + ", " + tau + ")",
          "%r#0, %r#1");
    check("%x : " + a, a + ", " + tau + ", tensor<2xi32>",
          "%r:3 = graph.custom_call \"lapack_syevd\" (%x) config {uplo = 76 : "
          "i8} : (" +
              a + ") -> (" + a + ", " + tau + ", tensor<2xi32>)",
          "%r#0, %r#1, %r#2");
  }
}

} // namespace
