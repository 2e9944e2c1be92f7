// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which names of a text its parser would bind to a value of another region.

#include "frontends/stablehlo/bytecode/EscapingNames.h"
#include <gtest/gtest.h>

using namespace zenith;

namespace {

std::string found(llvm::StringRef text) {
  auto name = stablehlo::escapingName(text);
  return name ? name->name.str() + " " + std::to_string(name->line) + ":" +
                    std::to_string(name->column)
              : "";
}

TEST(EscapingNames, AreReadInOneFunctionAndDefinedInAnother) {
  EXPECT_EQ(found(R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
  %r = graph.add %a, %b : tensor<f32>
  return %r : tensor<f32>
}
func.func @g(%a: tensor<f32>) -> tensor<f32> {
  %b = graph.neg %a : tensor<f32>
  return %b : tensor<f32>
})"),
            "%b 2:22");
}

TEST(EscapingNames, AreReadBehindTheirRegion) {
  EXPECT_EQ(found(R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%i = %a) : tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %i, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3:2 = "some.op"(%2) ({
  ^bb0(%1: tensor<f32>):
    some.yield %1 : tensor<f32>
  }) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %3#0 : tensor<f32>
})"),
            "%1 7:28");
}

// A program may return as many values as it has ops: a list that were read
// again for each of its names would take minutes.
TEST(EscapingNames, AreFoundInLongLists) {
  std::string list = "%v0";
  for (int i = 1; i < 400000; ++i)
    list += ", %v" + std::to_string(i);
  EXPECT_EQ(found(list + " = some.op\nsome.return " + list), "");
  EXPECT_EQ(found("{ some.return " + list + "\n}\n{ %v7 = some.op }"),
            "%v7 1:50");
}

TEST(EscapingNames, AreNoneInValidPrograms) {
  // Names in strings, comments and regions beside each other.
  EXPECT_EQ(found(R"(func.func @f(%a: tensor<f32> {x.y = "%b"}) -> tensor<f32> {
  // %b = %c
  %0, %1 = stablehlo.reduce(%a init: %a), (%a init: %a) across dimensions = [0]
   reducer(%b: tensor<f32>, %c: tensor<f32>) (%d: tensor<f32>, %e: tensor<f32>) {
    %2 = stablehlo.add %b, %e : tensor<f32>
    stablehlo.return %2, %2 : tensor<f32>, tensor<f32>
  }
  %2:2 = graph.if %0 then {
    %b = graph.neg %1 : tensor<f32>
    graph.yield %b, %b : tensor<f32>, tensor<f32>
  } else {
    %b = graph.exp %1 : tensor<f32>
    graph.yield %b, %b : tensor<f32>, tensor<f32>
  } : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
  return %2#1 : tensor<f32>
}
func.func private @b(%a: tensor<f32>) -> tensor<f32>)"),
            "");
}

TEST(EscapingNames, AreLookedForInAnyText) {
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(found("%"), "");
  EXPECT_EQ(found("}}})))(%"), "");
  EXPECT_EQ(found("({%a = \"unclosed"), "");
  // Nowhere defined: the parser says so itself.
  EXPECT_EQ(found("func.func @f() { return %b : tensor<f32> }"), "");
}

} // namespace
