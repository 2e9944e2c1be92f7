// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of one device, manual regions and collectives on all devices of a
// mesh: every op of the family, nested regions, uneven blocks, and devices that
// don't meet.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Results of a program over two devices that have two elements each; `body`
/// makes %r, of `type`, which is a block of `whole`.
static std::string onTwo(const std::string &body, const std::string &type,
                         const std::string &whole, const std::string &axes) {
  std::string block = "graph.block = {sharding = #graph.sharding<@mesh, ";
  return evaluateModule(
      "graph.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: tensor<2xi64> {" +
          block + "[{\"x\"}]>, whole = tensor<4xi64>}}) -> (" + type + " {" +
          block + "[{" + axes + "}]>, whole = " + whole + "}}) {\n" + body +
          "\nreturn %r : " + type + "\n}",
      {"dense<[1, 2, 3, 4]> : tensor<4xi64>"});
}

TEST(DeviceProgram, CollectivesOverAnAxis) {
  EXPECT_EQ(onTwo("%r = graph.all_reduce (%a) kind <sum> axes @mesh [\"x\"] : "
                  "(tensor<2xi64>) -> tensor<2xi64>",
                  "tensor<2xi64>", "tensor<2xi64>", ""),
            "dense<[4, 6]> : tensor<2xi64>");
  EXPECT_EQ(onTwo("%r = graph.all_gather (%a) dim 0 axes @mesh [\"x\"] : "
                  "(tensor<2xi64>) -> tensor<4xi64>",
                  "tensor<4xi64>", "tensor<4xi64>", ""),
            "dense<[1, 2, 3, 4]> : tensor<4xi64>");
  EXPECT_EQ(onTwo("%r = graph.reduce_scatter (%a) dim 0 kind <max> axes @mesh "
                  "[\"x\"] : (tensor<2xi64>) -> tensor<1xi64>",
                  "tensor<1xi64>", "tensor<2xi64>", "\"x\""),
            "dense<[3, 4]> : tensor<2xi64>");
  EXPECT_EQ(onTwo("%r = graph.all_to_all (%a) split 0 concat 0 count 2 axes "
                  "@mesh [\"x\"] : (tensor<2xi64>) -> tensor<2xi64>",
                  "tensor<2xi64>", "tensor<4xi64>", "\"x\""),
            "dense<[1, 3, 2, 4]> : tensor<4xi64>");
  EXPECT_EQ(onTwo("%r = graph.collective_broadcast (%a) source 1 axes @mesh "
                  "[\"x\"] : (tensor<2xi64>) -> tensor<2xi64>",
                  "tensor<2xi64>", "tensor<4xi64>", "\"x\""),
            "dense<[3, 4, 3, 4]> : tensor<4xi64>");
}

TEST(DeviceProgram, WhatNobodySendsIsZero) {
  EXPECT_EQ(onTwo("%r = graph.collective_permute (%a) pairs dense<[[0, 1]]> : "
                  "tensor<1x2xi64> : (tensor<2xi64>) -> tensor<2xi64>",
                  "tensor<2xi64>", "tensor<4xi64>", "\"x\""),
            "dense<[0, 0, 1, 2]> : tensor<4xi64>");
}

TEST(DeviceProgram, PositionsFollowTheMesh) {
  EXPECT_EQ(
      evaluateModule(
          "graph.mesh @mesh = <[\"x\"=2], device_ids = [1, 0]>\n"
          "func.func @main() -> (tensor<1xi64> {graph.block = {sharding = "
          "#graph.sharding<@mesh, [{\"x\"}]>, whole = tensor<2xi64>}}) {\n"
          "%i = graph.axis_index axes @mesh [\"x\"] : tensor<i64>\n"
          "%r = graph.reshape %i : tensor<i64> -> tensor<1xi64>\n"
          "return %r : tensor<1xi64>\n}"),
      "dense<[0, 1]> : tensor<2xi64>");
}

TEST(DeviceProgram, NestedRegionsCutOverTheirOwnAxes) {
  const char *module = R"(graph.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4xi64>) -> tensor<2xi64> {
  %r = graph.manual (%a) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{}]>] manual_axes = ["x"] {
    ^bb0(%b: tensor<2xi64>):
      %s = graph.manual (%b) in_shardings = [#graph.sharding<@mesh, [{"y"}]>] out_shardings = [#graph.sharding<@mesh, [{"y"}]>] manual_axes = ["y"] {
        ^bb0(%c: tensor<1xi64>):
          %i = graph.axis_index axes @mesh ["y"] : tensor<i64>
          %j = graph.reshape %i : tensor<i64> -> tensor<1xi64>
          %d = graph.add %c, %j : tensor<1xi64>
          graph.yield %d : tensor<1xi64>
        } : (tensor<2xi64>) -> tensor<2xi64>
      %t = graph.all_reduce (%s) kind <sum> axes @mesh ["x"] : (tensor<2xi64>) -> tensor<2xi64>
      graph.yield %t : tensor<2xi64>
    } : (tensor<4xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>
})";
  EXPECT_EQ(evaluateModule(module, {"dense<[1, 2, 3, 4]> : tensor<4xi64>"}),
            "dense<[4, 8]> : tensor<2xi64>");
}

TEST(DeviceProgram, UnevenBlocksAreCutAndJoined) {
  EXPECT_EQ(
      evaluateModule(
          "graph.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(%a: tensor<2xi64> "
          "{graph.block = {sharding = #graph.sharding<@mesh, [{\"x\"}]>, whole "
          "= tensor<5xi64>}}) -> (tensor<2xi64> {graph.block = {sharding = "
          "#graph.sharding<@mesh, [{\"x\"}]>, whole = tensor<5xi64>}}) {\n"
          "%r = graph.neg %a : tensor<2xi64>\nreturn %r : tensor<2xi64>\n}",
          {"dense<[1, 2, 3, 4, 5]> : tensor<5xi64>"}),
      "dense<[-1, -2, -3, -4, -5]> : tensor<5xi64>");
}

TEST(DeviceProgram, WaitsWithoutEndNameEachOp) {
  std::string text =
      onTwo(R"(%i = graph.axis_index axes @mesh ["x"] : tensor<i64>
%p = graph.convert %i : tensor<i64> -> tensor<i1>
%r = graph.if %p then {
  %s = graph.all_reduce (%a) kind <sum> axes @mesh ["x"] : (tensor<2xi64>) -> tensor<2xi64>
  graph.yield %s : tensor<2xi64>
} else {
  %s = graph.collective_broadcast (%a) source 0 axes @mesh ["x"] : (tensor<2xi64>) -> tensor<2xi64>
  graph.yield %s : tensor<2xi64>
} : (tensor<i1>) -> tensor<2xi64>)",
            "tensor<2xi64>", "tensor<4xi64>", "\"x\"");
  EXPECT_TRUE(contains(text, "devices wait for each other without end: device "
                             "0 in 'graph.collective_broadcast'"))
      << text;
  EXPECT_TRUE(contains(text, "device 1 in 'graph.all_reduce'")) << text;
}

TEST(DeviceProgram, ADeviceThatEndsIsNotWaitedFor) {
  std::string text =
      onTwo(R"(%i = graph.axis_index axes @mesh ["x"] : tensor<i64>
%p = graph.convert %i : tensor<i64> -> tensor<i1>
%r = graph.if %p then {
  %s = graph.all_reduce (%a) kind <sum> axes @mesh ["x"] : (tensor<2xi64>) -> tensor<2xi64>
  graph.yield %s : tensor<2xi64>
} else {
  graph.yield %a : tensor<2xi64>
} : (tensor<i1>) -> tensor<2xi64>)",
            "tensor<2xi64>", "tensor<4xi64>", "\"x\"");
  EXPECT_TRUE(contains(text, "device 0 ended; device 1 in 'graph.all_reduce'"))
      << text;
}

TEST(DeviceProgram, ADeviceThatFailsEndsAll) {
  std::string text =
      onTwo(R"(%i = graph.axis_index axes @mesh ["x"] : tensor<i64>
%p = graph.convert %i : tensor<i64> -> tensor<i1>
graph.assert %p "device {0} fails"(%i) : tensor<i1>, tensor<i64>
%r = graph.all_reduce (%a) kind <sum> axes @mesh ["x"] : (tensor<2xi64>) -> tensor<2xi64>)",
            "tensor<2xi64>", "tensor<4xi64>", "\"x\"");
  EXPECT_TRUE(contains(text, "device 0 fails")) << text;
}

TEST(DeviceProgram, OneDeviceMeetsNoOther) {
  EXPECT_TRUE(contains(
      evaluateOp("graph.all_reduce (%0) kind <sum> groups dense<[[0, 1]]> : "
                 "tensor<1x2xi64> : (tensor<2xi64>) -> tensor<2xi64>",
                 "tensor<2xi64>", {"dense<[1, 2]> : tensor<2xi64>"}),
      "is for several devices, and the program runs on one"));
}
