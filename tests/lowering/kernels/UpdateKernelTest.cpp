// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic update slices beside the interpreter: parts of rows, starts of every
// integer type and out of bounds, copied and in place, sizes of 0.

#include "FusionText.h"
#include "KernelHarness.h"
#include "ir/tensor/Scalar.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::fusionText;
using zenith::testing::KernelHarness;
using zenith::testing::smallIntegers;

namespace {

class UpdateKernelTest : public ::testing::TestWithParam<unsigned> {
protected:
  UpdateKernelTest() { harness.target.lanes = GetParam(); }

  /// Updates at `starts`, into a result of its own and in place.
  void check(const std::string &operand, const std::string &update,
             std::vector<int64_t> starts, const std::string &index = "i32",
             std::vector<std::vector<int64_t>> shapes = {}) {
    std::string start = "tensor<" + index + ">",
                types = operand + ", " + update,
                arguments = "%a : " + operand + ", %u : " + update, names;
    for (unsigned d = 0; d < starts.size(); ++d) {
      std::string name = "%s" + std::to_string(d);
      arguments += ", " + name + " : " + start;
      names += ", " + name;
      types += ", " + start;
    }
    checkText(fusionText("scatter", arguments, operand,
                         "%r = graph.dynamic_update_slice %a, %u" + names +
                             " : (" + types + ") -> " + operand),
              starts, shapes);
  }

  void checkText(const std::string &text, const std::vector<int64_t> &starts,
                 const std::vector<std::vector<int64_t>> &shapes = {}) {
    SCOPED_TRACE(text);
    harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor = smallIntegers(type, number + 1);
      if (type.getRank() == 0 && number >= 2) {
        interpreter::ElementAccess access(type.getElementType());
        access.store(tensor.writable(),
                     interpreter::Scalar::ofSigned(starts[number - 2]));
      }
      return tensor;
    };
    for (int shared : {-1, 0}) {
      harness.sharedOperand = shared;
      harness.check(text, shapes);
    }
  }

  KernelHarness harness{kernels::emitKernels};
};

TEST_P(UpdateKernelTest, PartsOfRows) {
  for (std::vector<int64_t> starts : std::vector<std::vector<int64_t>>{
           {0, 0}, {5, 3}, {2, 1}, {6, 6}, {-3, 4}, {1, -1000}, {1000, 1000}})
    check("tensor<7x5xf32>", "tensor<2x2xf32>", starts);
  check("tensor<7x5xf32>", "tensor<3x1xf32>", {2, 3});
  check("tensor<7x5xf32>", "tensor<1x3xf32>", {2, 1});
  check("tensor<9x40xf32>", "tensor<4x33xf32>", {3, 6});
}

TEST_P(UpdateKernelTest, WholeRowsAndMiddleDimensions) {
  check("tensor<7x5xf32>", "tensor<2x5xf32>", {4, 2});
  check("tensor<4x6x5xf32>", "tensor<2x6x5xf32>", {1, 0, 0});
  check("tensor<4x6x5xf32>", "tensor<4x2x5xf32>", {0, 3, 0});
  check("tensor<4x6x5xf32>", "tensor<2x3x5xf32>", {2, 1, 7});
  check("tensor<4x6x5xf32>", "tensor<2x6x3xf32>", {1, 9, 1});
  check("tensor<2x3x4x5xf32>", "tensor<2x1x4x5xf32>", {0, 2, 0, 0});
  check("tensor<2x3x4x5xf32>", "tensor<1x2x4x2xf32>", {1, 1, 0, 2});
  check("tensor<40xf32>", "tensor<19xf32>", {11});
  check("tensor<f32>", "tensor<f32>", {});
}

TEST_P(UpdateKernelTest, StartTypes) {
  for (const char *index : {"i8", "i16", "i32", "i64"})
    for (int64_t start : {-128, -1, 0, 2, 127})
      check("tensor<5x6xf32>", "tensor<2x3xf32>", {start, 1}, index);
  // -1 is the largest of a type without sign.
  for (const char *index : {"ui8", "ui16", "ui32", "ui64"})
    for (int64_t start : {-1, 0, 2, 128})
      check("tensor<5x6xf32>", "tensor<2x3xf32>", {start, 1}, index);
}

TEST_P(UpdateKernelTest, ElementTypes) {
  for (const char *element :
       {"i1", "i4", "ui8", "i16", "i64", "bf16", "f16", "f64"}) {
    std::string type = std::string("x") + element + ">";
    check("tensor<6x7" + type, "tensor<3x4" + type, {2, 2});
  }
}

TEST_P(UpdateKernelTest, SizesOfZeroAndUnknown) {
  check("tensor<6x7xf32>", "tensor<0x4xf32>", {2, 2});
  check("tensor<6x7xf32>", "tensor<3x0xf32>", {9, 9});
  check("tensor<0x7xf32>", "tensor<0x4xf32>", {1, 1});
  std::vector<std::vector<std::vector<int64_t>>> cases = {
      {{7, 5}, {2, 2}}, {{7, 5}, {2, 5}}, {{7, 40}, {3, 19}}, {{7, 5}, {0, 2}}};
  for (const auto &shapes : cases)
    check("tensor<?x?xf32>", "tensor<?x?xf32>", {3, 2}, "i64", shapes);
}

TEST_P(UpdateKernelTest, ComputesThePart) {
  checkText(fusionText("scatter",
                       "%a : tensor<7x20xf32>, %u : tensor<9x2xf32>, "
                       "%i : tensor<i32>, %j : tensor<i32>",
                       "tensor<7x20xf32>", R"(
    %0 = graph.transpose %u [1, 0] : tensor<9x2xf32> -> tensor<2x9xf32>
    %1 = graph.neg %0 : tensor<2x9xf32>
    %r = graph.dynamic_update_slice %a, %1, %i, %j : (tensor<7x20xf32>, tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<7x20xf32>)"),
            {3, 10});
}

INSTANTIATE_TEST_SUITE_P(Lanes, UpdateKernelTest,
                         ::testing::Values(1u, 4u, 8u, 16u));

} // namespace
