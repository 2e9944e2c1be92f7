// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and random numbers against those of jax.random (measured with JAX on a
// CPU, jax_threefry_partitionable, keys of "threefry2x32" and "rbg").

#include "EvaluateText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static const char *const shortKey =
    "dense<[305419896, 2596069104]> : tensor<2xui32>";
static const char *const longKey =
    "dense<[305419896, 2596069104, 253635900, 4294967294]> : tensor<4xui32>";

/// What `op`, which reads the key %0, gives.
static std::string keyed(const std::string &op, const std::string &type,
                         const char *key = shortKey,
                         std::vector<std::string> more = {}) {
  more.insert(more.begin(), key);
  std::string keyType = key == shortKey ? "tensor<2xui32>" : "tensor<4xui32>";
  return evaluateBody("  %r = graph." + op + "\n  return %r", type, more);
}

static std::string sample(const std::string &op, const std::string &type,
                          const char *key = shortKey) {
  size_t name = op.find(' ');
  std::string attributes = name == std::string::npos ? "" : op.substr(name);
  return keyed(op.substr(0, name) + " %0" + attributes + " : " +
                   (key == shortKey ? "tensor<2xui32>" : "tensor<4xui32>") +
                   " -> " + type,
               type, key);
}

/// Elements within `tolerance`, relatively where they are large.
static void expectNear(const std::string &text,
                       const std::vector<double> &expected, double tolerance) {
  mlir::MLIRContext context;
  auto elements = mlir::dyn_cast_or_null<mlir::DenseFPElementsAttr>(
      mlir::parseAttribute(text, &context));
  ASSERT_TRUE(elements) << text;
  ASSERT_EQ(size_t(elements.getNumElements()), expected.size());
  for (auto [value, wanted] : llvm::zip(elements, expected)) {
    bool inexact = false;
    llvm::APFloat wide = value;
    wide.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &inexact);
    EXPECT_NEAR(wide.convertToDouble(), wanted,
                tolerance * std::max(1.0, std::abs(wanted)));
  }
}

TEST(EvalKeyed, Keys) {
  EXPECT_EQ(sample("split_key", "tensor<3x2xui32>"),
            "dense<[[3978822521, 2696639427], [2085429205, 1499321931], "
            "[1630462717, 2825784901]]> : tensor<3x2xui32>");
  EXPECT_EQ(sample("split_key", "tensor<3x4xui32>", longKey),
            "dense<[[3978822521, 2696639427, 1459055244, 531465738], "
            "[2085429205, 1499321931, 3028997730, 1267004104], [1630462717, "
            "2825784901, 1301482949, 926345442]]> : tensor<3x4xui32>");
  EXPECT_EQ(keyed("fold_in %0, %1 : tensor<2xui32>, tensor<i64>",
                  "tensor<2xui32>", shortKey, {"dense<7> : tensor<i64>"}),
            "dense<[984784270, 334005006]> : tensor<2xui32>");
  // 32 bits count, of whatever type.
  for (std::string all : {"dense<-1> : tensor<i64>", "dense<-1> : tensor<i8>",
                          "dense<4294967295> : tensor<ui32>"})
    EXPECT_EQ(keyed("fold_in %0, %1 : tensor<4xui32>, " +
                        all.substr(all.find("tensor")),
                    "tensor<4xui32>", longKey, {all}),
              "dense<[2428130646, 2836474425, 1645050566, 2859511071]> : "
              "tensor<4xui32>");
}

TEST(EvalKeyed, UniformFloatsAreEqual) {
  expectNear(sample("random_uniform", "tensor<5xf32>"),
             {0.30303096771240234, 0.14478731155395508, 0.786146879196167,
              0.5468630790710449, 0.1068955659866333},
             0);
  expectNear(sample("random_uniform {low = -2.5 : f64, high = 3.25 : f64}",
                    "tensor<5xf32>"),
             {-0.7575719356536865, -1.6674729585647583, 2.0203444957733154,
              0.6444627046585083, -1.8853504657745361},
             0);
  expectNear(sample("random_uniform", "tensor<3xf64>"),
             {0.9263918086951273, 0.48555182417600595, 0.379621684005933}, 0);
  expectNear(sample("random_uniform {low = -1.0 : f64}", "tensor<4xf16>"),
             {-0.12109375, 0.57421875, 0.84765625, -0.548828125}, 0);
  expectNear(sample("random_uniform {low = -1.0 : f64}", "tensor<4xbf16>"),
             {0.453125, 0.234375, 0.4375, 0.625}, 0);
  expectNear(sample("random_uniform", "tensor<5xf32>", longKey),
             {0.12019705772399902, 0.7462830543518066, 0.23196852207183838,
              0.7150492668151855, 0.3516213893890381},
             0);
  expectNear(sample("random_uniform", "tensor<3xf64>", longKey),
             {0.7462831451837431, 0.7150492726899609, 0.9876455346475403}, 0);
  expectNear(
      sample("random_uniform {low = -1.0 : f64}", "tensor<4xbf16>", longKey),
      {-0.1875, 0.046875, 0.28125, -0.8125}, 0);
}

TEST(EvalKeyed, NormalFloats) {
  expectNear(sample("random_normal", "tensor<6xf32>"),
             {-0.5157029032707214, -1.0590550899505615, 0.7931230068206787,
              0.11773985624313354, -1.2432080507278442, 0.7289718985557556},
             2e-7);
  expectNear(sample("random_normal", "tensor<4xf64>"),
             {1.4494341318134352, -0.03622412661832157, -0.30647453201597175,
              -0.9242207146831533},
             1e-15);
  expectNear(sample("random_normal", "tensor<4xbf16>"),
             {0.609375, 0.3046875, 0.5859375, 0.89453125}, 4e-3);
  expectNear(sample("random_normal", "tensor<4xf64>", longKey),
             {0.6628389426423268, 0.5681966372053756, 2.245923151167722,
              0.07448629870492166},
             1e-15);
  std::string truncated = "random_truncated_normal {lower = -2.0 : f64, upper "
                          "= 0.5 : f64}";
  expectNear(sample(truncated, "tensor<6xf32>"),
             {-0.7541130781173706, -1.1771330833435059, 0.1217619776725769,
              -0.2833762466907501, -1.3151334524154663, 0.08947090059518814},
             2e-7);
  expectNear(sample(truncated, "tensor<3xf64>", longKey),
             {0.05466888883013649, 0.002287041288025214, 0.47666843389778624},
             1e-15);
}

TEST(EvalKeyed, Draws) {
  EXPECT_EQ(
      sample("random_bernoulli {probability = 0.3 : f64}", "tensor<12xi1>"),
      "dense<[false, true, false, false, true, false, true, true, true, "
      "false, false, false]> : tensor<12xi1>");
  EXPECT_EQ(sample("random_permutation", "tensor<10xi32>"),
            "dense<[8, 9, 2, 1, 4, 5, 0, 3, 6, 7]> : tensor<10xi32>");
  EXPECT_EQ(sample("random_permutation", "tensor<10xui8>", longKey),
            "dense<[3, 1, 5, 9, 2, 8, 0, 7, 6, 4]> : tensor<10xui8>");
  // Two rounds.
  EXPECT_EQ(evaluateBody("  %m = graph.random_permutation %0 : tensor<2xui32> "
                         "-> tensor<2000xi64>\n  %r = graph.slice %m [0] [8] "
                         "[1] : tensor<2000xi64> -> tensor<8xi64>\n  return %r",
                         "tensor<8xi64>", {shortKey}),
            "dense<[172, 1239, 327, 1916, 166, 75, 1927, 1388]> : "
            "tensor<8xi64>");
  std::string logits = "dense<[[0.1, -1.0, 2.0, 0.5, 1.0], [1.0, 1.0, 1.0, "
                       "-3.0, 0.0]]> : tensor<2x5xf32>";
  EXPECT_EQ(keyed("random_categorical %0, %1 {axis = 1 : i64} : "
                  "(tensor<2xui32>, tensor<2x5xf32>) -> tensor<2xi64>",
                  "tensor<2xi64>", shortKey, {logits}),
            "dense<[2, 0]> : tensor<2xi64>");
  EXPECT_EQ(keyed("random_categorical %0, %1 {axis = 0 : i64} : "
                  "(tensor<4xui32>, tensor<2x5xf32>) -> tensor<5xi32>",
                  "tensor<5xi32>", longKey, {logits}),
            "dense<[1, 1, 0, 0, 0]> : tensor<5xi32>");
}

// Kept where uniform numbers (0.30, 0.14, 0.79, 0.55, 0.11) are below 0.6.
TEST(EvalKeyed, DropoutKeepsAndScales) {
  expectNear(keyed("dropout %1, %0 {rate = 0.4 : f64} : tensor<5xf32>, "
                   "tensor<2xui32>",
                   "tensor<5xf32>", shortKey,
                   {"dense<[3.0, -6.0, 5.0, 1.5, 0.0]> : tensor<5xf32>"}),
             {5.0, -10.0, 0.0, 2.5, 0.0}, 2e-7);
}
