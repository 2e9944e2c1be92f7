// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds against the interpreter: whatever an op folds to is what it means.

#include "ir/GraphDialect.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace zenith;

namespace {

class FoldTest : public testing::Test {
protected:
  FoldTest() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  }

  /// Folds the last op before the return; false where it doesn't fold to a
  /// constant. Expects the interpreter's value.
  bool foldsToItsMeaning(const std::string &body) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f() {\n" + body + "return\n}", &context);
    EXPECT_TRUE(module) << body;
    if (!module)
      return false;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::Operation *op = function.front().getTerminator()->getPrevNode();
    llvm::SmallVector<mlir::Attribute> constants;
    std::vector<Tensor> operands;
    for (mlir::Value operand : op->getOperands()) {
      mlir::ElementsAttr elements;
      EXPECT_TRUE(matchPattern(operand, mlir::m_Constant(&elements)));
      constants.push_back(elements);
      operands.push_back(Tensor::fromElements(elements));
    }
    auto expected = interpreter::evaluate(op, operands);
    EXPECT_TRUE(bool(expected)) << body << llvm::toString(expected.takeError());
    if (!expected)
      return false;
    llvm::SmallVector<mlir::OpFoldResult> results;
    if (failed(op->fold(constants, results)) || results.empty())
      return false;
    mlir::Attribute folded = llvm::dyn_cast<mlir::Attribute>(results[0]);
    if (auto value = llvm::dyn_cast_if_present<mlir::Value>(results[0]))
      matchPattern(value, mlir::m_Constant(&folded));
    EXPECT_EQ(folded, (*expected)[0].toElements()) << body;
    return true;
  }

  mlir::MLIRContext context;
};

/// Pairs of awkward numbers of a type, as two constants %x and %y of 25
/// elements.
std::string awkwardPairs(const std::string &type,
                         const std::vector<std::string> &values) {
  std::string left, right;
  for (const std::string &a : values)
    for (const std::string &b : values) {
      left += (left.empty() ? "" : ", ") + a;
      right += (right.empty() ? "" : ", ") + b;
    }
  std::string shape = "tensor<" +
                      std::to_string(values.size() * values.size()) + "x" +
                      type + ">";
  return "%x = graph.constant dense<[" + left + "]> : " + shape +
         "\n%y = graph.constant dense<[" + right + "]> : " + shape + "\n";
}

struct Numbers {
  std::string type;
  std::vector<std::string> values;
};

const Numbers integerTypes[] = {
    {"i8", {"-128", "-1", "0", "3", "127"}},
    {"ui8", {"0", "1", "3", "200", "255"}},
    {"i32", {"-2147483648", "-7", "0", "2", "2147483647"}},
    {"i64", {"-9223372036854775808", "-1", "0", "5", "9223372036854775807"}},
    {"ui64", {"0", "1", "7", "9223372036854775808", "18446744073709551615"}},
};

TEST_F(FoldTest, IntegerArithmetic) {
  for (const Numbers &numbers : integerTypes)
    for (const char *op :
         {"add", "sub", "mul", "div", "max", "min", "and", "or"}) {
      std::string body = awkwardPairs(numbers.type, numbers.values);
      EXPECT_TRUE(foldsToItsMeaning(body + "%r = graph." + op +
                                    " %x, %y : tensor<25x" + numbers.type +
                                    ">\n"))
          << op;
    }
}

TEST_F(FoldTest, Comparisons) {
  for (const Numbers &numbers : integerTypes)
    for (const char *direction : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      std::string body = awkwardPairs(numbers.type, numbers.values);
      EXPECT_TRUE(foldsToItsMeaning(body + "%r = graph.compare " + direction +
                                    ", %x, %y : tensor<25x" + numbers.type +
                                    "> -> tensor<25xi1>\n"));
    }
}

TEST_F(FoldTest, BooleanLogic) {
  std::string body = awkwardPairs("i1", {"true", "false"});
  for (const char *op : {"and", "or", "max", "min"})
    EXPECT_TRUE(foldsToItsMeaning(body + "%r = graph." + op +
                                  " %x, %y : tensor<4xi1>\n"))
        << op;
  EXPECT_TRUE(foldsToItsMeaning(
      body + "%r = graph.compare lt, %x, %y : tensor<4xi1> -> tensor<4xi1>\n"));
}

TEST_F(FoldTest, IntegerConversions) {
  for (const Numbers &numbers : integerTypes)
    for (const char *to :
         {"i1", "i4", "ui4", "i8", "ui8", "i16", "ui32", "i64", "ui64"})
      EXPECT_TRUE(foldsToItsMeaning(awkwardPairs(numbers.type, numbers.values) +
                                    "%r = graph.convert %x : tensor<25x" +
                                    numbers.type + "> -> tensor<25x" + to +
                                    ">\n"));
  for (const char *to : {"i4", "i8", "ui64"})
    EXPECT_TRUE(foldsToItsMeaning(
        awkwardPairs("i1", {"true", "false"}) +
        "%r = graph.convert %x : tensor<4xi1> -> tensor<4x" + to + ">\n"));
}

TEST_F(FoldTest, FloatIdentities) {
  const Numbers floats{"f32",
                       {"0.0", "-0.0", "1.5", "0x7F800000", "0x7FC00000"}};
  for (const char *op : {"add", "sub", "mul", "div", "max", "min"})
    for (const char *neutral : {"0.0", "-0.0", "1.0", "-1.0"}) {
      std::string body = awkwardPairs("f32", floats.values) +
                         "%c = graph.constant dense<" + neutral +
                         "> : tensor<25xf32>\n";
      foldsToItsMeaning(body + "%r = graph." + op +
                        " %x, %c : tensor<25xf32>\n");
      foldsToItsMeaning(body + "%r = graph." + op +
                        " %c, %x : tensor<25xf32>\n");
      foldsToItsMeaning(body + "%r = graph." + op +
                        " %x, %x : tensor<25xf32>\n");
    }
}

TEST_F(FoldTest, MovementOfConstants) {
  const std::string x =
      "%x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>\n";
  const std::string splat =
      "%x = graph.constant dense<1.5> : tensor<2x3xbf16>\n";
  const std::string flags =
      "%x = graph.constant dense<[true, false, true, true]> : tensor<4xi1>\n";
  EXPECT_TRUE(foldsToItsMeaning(
      x + "%r = graph.reshape %x : tensor<2x3xi16> -> tensor<3x2x1xi16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(x + "%r = graph.slice %x [0, 0] [2, 2] [1, 2] "
                                    ": tensor<2x3xi16> -> tensor<2x2xi16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(x + "%r = graph.slice %x [1, 1] [0, 2] [1, 1] "
                                    ": tensor<2x3xi16> -> tensor<0x2xi16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(splat +
                                "%r = graph.transpose %x [1, 0] : "
                                "tensor<2x3xbf16> -> tensor<3x2xbf16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(splat +
                                "%r = graph.broadcast %x [2, 0] : "
                                "tensor<2x3xbf16> -> tensor<3x4x2xbf16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(splat +
                                "%r = graph.slice %x [0, 1] [1, 1] [1, 1] : "
                                "tensor<2x3xbf16> -> tensor<1x1xbf16>\n"));
  EXPECT_TRUE(foldsToItsMeaning(flags +
                                "%r = graph.concat 0, %x, %x : (tensor<4xi1>, "
                                "tensor<4xi1>) -> tensor<8xi1>\n"));
  EXPECT_TRUE(foldsToItsMeaning(
      flags +
      "%r = graph.slice %x [1] [2] [2] : tensor<4xi1> -> tensor<2xi1>\n"));
  EXPECT_TRUE(
      foldsToItsMeaning(x + "%r = graph.dim %x, 1 : tensor<2x3xi16>\n"));
}

} // namespace
