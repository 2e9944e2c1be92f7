// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions solved from inputs, random values, keys and sizes on command
// lines.

#include "tools/model/RunInputs.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/BindInputs.h"
#include "ir/tensor/Scalar.h"
#include "lowering/pipeline/OptionText.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/model/CommandLine.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace zenith;
using namespace zenith::tools;

namespace {
struct RunInputsTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};

  ArgumentInfo argument(const std::string &name,
                        const std::vector<std::string> &dims) {
    mlir::SmallVector<int64_t> shape;
    ArgumentInfo info{name, {}, {}};
    for (const std::string &dim : dims) {
      info.dims.push_back(*graph::DimExpr::parse(dim));
      shape.push_back(
          info.dims.back().constant().value_or(mlir::ShapedType::kDynamic));
    }
    info.type =
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context));
    return info;
  }
  Tensor value(const std::string &type) {
    return Tensor(*files::parseTypeText(type, &context));
  }
  std::string solve(const std::vector<ArgumentInfo> &arguments,
                    const std::vector<Tensor> &inputs,
                    const DimValues &given = {}) {
    llvm::Expected<DimValues> dims = solveDims(arguments, inputs, given);
    if (!dims)
      return llvm::toString(dims.takeError());
    std::string text;
    for (const auto &[name, size] : *dims)
      text += name + "=" + std::to_string(size) + " ";
    return text;
  }
};
} // namespace

TEST_F(RunInputsTest, SolvesNamesAndChecksExpressions) {
  std::vector<ArgumentInfo> arguments{argument("x", {"batch", "2*seq"}),
                                      argument("y", {"batch", "seq"})};
  EXPECT_EQ(solve(arguments, {value("f32[3x8]"), value("f32[3x4]")}),
            "batch=3 seq=4 ");
  EXPECT_EQ(solve(arguments, {value("f32[3x7]"), value("f32[3x4]")}),
            "dimension 1 (2*seq) of input 'x' is 7, elsewhere it is 8");
  EXPECT_EQ(solve(arguments, {value("f32[3x8]"), value("f32[2x4]")}),
            "dimension 0 (batch) of input 'y' is 2, elsewhere it is 3");
  EXPECT_EQ(solve(arguments, {Tensor(), value("f32[3x4]")}, {{"batch", 2}}),
            "--dim batch=2, but an input has 3");
  EXPECT_EQ(solve(arguments, {Tensor(), Tensor()}, {{"batch", 2}}), "batch=2 ");
}

TEST_F(RunInputsTest, ChecksTypes) {
  std::vector<ArgumentInfo> arguments{argument("x", {"2", "n"})};
  EXPECT_EQ(solve(arguments, {value("f32[3x1]")}),
            "input 'x' is f32[2x?], the value is f32[3x1]");
  EXPECT_EQ(solve(arguments, {value("f64[2x1]")}),
            "input 'x' is f32[2x?], the value is f64[2x1]");
  EXPECT_EQ(solve(arguments, {value("f32[2]")}),
            "input 'x' is f32[2x?], the value is f32[2]");
}

TEST_F(RunInputsTest, RandomValuesAreNormalOrBits) {
  Tensor floats =
      randomTensor(*files::parseTypeText("f32[10000]", &context), 1);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < floats.size(); ++i) {
    double x = interpreter::elementAt(floats, i).asDouble();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
  Tensor bits = randomTensor(*files::parseTypeText("ui8[1000]", &context), 1);
  int ones = 0;
  for (char byte : llvm::ArrayRef<char>(bits.bytes(), 1000)) {
    EXPECT_TRUE(byte == 0 || byte == 1);
    ones += byte;
  }
  EXPECT_NEAR(ones, 500, 80);
  Tensor again = randomTensor(*files::parseTypeText("f32[10000]", &context), 1);
  EXPECT_EQ(llvm::StringRef(floats.bytes(), 40000),
            llvm::StringRef(again.bytes(), 40000));
}

TEST_F(RunInputsTest, RandomIntegersAreInTheirRange) {
  Tensor values =
      randomTensor(*files::parseTypeText("i8[1000]", &context), 1, {1, 5});
  std::set<int> seen(values.bytes(), values.bytes() + 1000);
  EXPECT_EQ(seen, (std::set<int>{1, 2, 3, 4, 5}));
}

TEST_F(RunInputsTest, KeysAreIndicesOrNames) {
  std::vector<std::string> names{"1", "x"};
  EXPECT_EQ(*inputIndex("1", names, "--in"), 1u);
  EXPECT_EQ(*inputIndex("x", names, "--in"), 1u);
  EXPECT_EQ(*inputIndex("arg0", names, "--in"), 0u);
  EXPECT_EQ(llvm::toString(inputIndex("2", names, "--in").takeError()),
            "--in: the program has no input '2'; it has 0 = '1', 1 = 'x'");
}

TEST(CommandLine, BytesAndSuggestions) {
  EXPECT_EQ(options::parseBytes("12"), 12);
  EXPECT_EQ(options::parseBytes("3K"), 3072);
  EXPECT_EQ(options::parseBytes("2G"), int64_t(2) << 30);
  for (const char *text : {"", "K", "-1", "1.5M", "99999999999G", "1T"})
    EXPECT_FALSE(options::parseBytes(text)) << text;
  EXPECT_EQ(suggestion("--treads", {"--threads", "--target"}),
            ", did you mean '--threads'?");
  EXPECT_EQ(suggestion("--xyz", {"--threads"}), "");
}
