// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the search dialect on a few values.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

TEST(EvalSearch, Dedup) {
  // Bits beside the key join by or; 7 means no candidate.
  EXPECT_EQ(evaluateOp("search.dedup (%0, %1) known (%2) key [15] absent 7 "
                       ": (tensor<3xui64>, tensor<3xui64>, tensor<1xui64>) -> "
                       "tensor<?xui64>",
                       "tensor<?xui64>",
                       {"dense<[17, 2, 7]> : tensor<3xui64>",
                        "dense<[3, 33, 66]> : tensor<3xui64>",
                        "dense<19> : tensor<1xui64>"}),
            "dense<[49, 66]> : tensor<2xui64>");
  EXPECT_EQ(
      evaluateBody(
          "  %a, %b = search.dedup (%0, %1, %1, %1) known (%1, %0) "
          "key [-1, -1] : (tensor<2xui64>, tensor<2xui64>, "
          "tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, "
          "tensor<2xui64>) -> (tensor<?xui64>, tensor<?xui64>)\n"
          "  return %a, %b",
          "tensor<?xui64>, tensor<?xui64>",
          {"dense<[1, 2]> : tensor<2xui64>", "dense<[5, 2]> : tensor<2xui64>"}),
      "dense<[1, 5]> : tensor<2xui64>\ndense<5> : tensor<2xui64>");
}

TEST(EvalSearch, DedupWithImages) {
  // Two parts of two bits: the identity, and exchanged. 1 and 4 are one key, 5
  // is its own image, bit 4 joins where image 1 is the least.
  EXPECT_EQ(evaluateOp("search.dedup (%0) images (%1, %2) key [15] ties 6 : "
                       "(tensor<4xui64>, tensor<2x1x2xui16>, "
                       "tensor<2x1x2x4xui64>) -> tensor<?xui64>",
                       "tensor<?xui64>",
                       {"dense<[4, 1, 5, 8]> : tensor<4xui64>",
                        "dense<[[[0, 1]], [[0, 1]]]> : tensor<2x1x2xui16>",
                        "dense<[[[[0, 1, 2, 3], [0, 4, 8, 12]]], "
                        "[[[0, 4, 8, 12], [16, 17, 18, 19]]]]> : "
                        "tensor<2x1x2x4xui64>"}),
            "dense<[17, 85, 18]> : tensor<3xui64>");
}

TEST(EvalSearch, BitsetDifference) {
  EXPECT_EQ(evaluateOp("search.bit_positions %0 : tensor<2xui64> -> "
                       "tensor<?xui64>",
                       "tensor<?xui64>", {"dense<[9, 3]> : tensor<2xui64>"}),
            "dense<[0, 3, 64, 65]> : tensor<4xui64>");
  EXPECT_EQ(
      evaluateBody(
          "  %a, %b = search.bitset_difference %0 (%1) : (tensor<2xui64>, "
          "tensor<4xui64>) -> (tensor<2xui64>, tensor<i64>)\n"
          "  return %a, %b",
          "tensor<2xui64>, tensor<i64>",
          {"dense<[1, 0]> : tensor<2xui64>",
           "dense<[0, 66, 66, 128]> : tensor<4xui64>"}),
      "dense<[0, 4]> : tensor<2xui64>\ndense<1> : tensor<i64>");
}

TEST(EvalSearch, CosetBitRows) {
  // Columns 0 and 1 are exchanged, or all go to column 2; row 5 and move 9 are
  // out of range.
  EXPECT_EQ(
      evaluateBody("  %a, %b, %c = search.coset_bit_rows %0, %1, %2, %3, %4 : "
                   "(tensor<2x1xui64>, tensor<2x1xui64>, tensor<2x2xui32>, "
                   "tensor<2x2xui16>, tensor<2x3xui16>) -> (tensor<2x1xui64>, "
                   "tensor<2x1xui64>, tensor<i64>)\n  return %a, %b, %c",
                   "tensor<2x1xui64>, tensor<2x1xui64>, tensor<i64>",
                   {"dense<[[1], [8]]> : tensor<2x1xui64>",
                    "dense<[[3], [9]]> : tensor<2x1xui64>",
                    "dense<[[0, 1], [0, 5]]> : tensor<2x2xui32>",
                    "dense<[[0, 1], [9, 0]]> : tensor<2x2xui16>",
                    "dense<[[1, 0, 2], [2, 2, 2]]> : tensor<2x3xui16>"}),
      "dense<[[6], [0]]> : tensor<2x1xui64>\ndense<[[7], [8]]> : "
      "tensor<2x1xui64>\ndense<2> : tensor<i64>");
}

/// The symmetric group of three points: one level of rows and one of columns.
TEST(EvalSearch, CosetBits) {
  const std::vector<std::string> tables = {
      "dense<[7, 5, 9]> : tensor<3xui8>",
      "dense<[0, 1, 2, 9, 0, 1]> : tensor<6xui16>",
      "dense<[[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 1, 2], [0, 2, 1]]> : "
      "tensor<5x3xui16>",
      "dense<[[0, 1, 2], [1, 0, 2], [1, 2, 0]]> : tensor<3x3xui16>"};
  auto bits = [&](const std::string &states) {
    std::vector<std::string> operands{states};
    operands.insert(operands.end(), tables.begin(), tables.end());
    return evaluateOp(
        "search.coset_bits %0, %1, %2, %3, %4 points [0, 1] of [1, 1] sizes "
        "[3, 2] rows "
        "1 words 2 : (tensor<3x3xui8>, tensor<3xui8>, tensor<6xui16>, "
        "tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<3xui64>",
        "tensor<3xui64>", operands);
  };
  EXPECT_EQ(bits("dense<[[7, 5, 9], [7, 9, 5], [5, 7, 9]]> : tensor<3x3xui8>"),
            "dense<[0, 1, 128]> : tensor<3xui64>");
  EXPECT_EQ(bits("dense<[[9, 7, 5], [5, 9, 7], [9, 5, 7]]> : tensor<3x3xui8>"),
            "dense<[129, 256, 257]> : tensor<3xui64>");
  // An element twice, one that the start lacks.
  EXPECT_EQ(bits("dense<[[7, 7, 9], [7, 5, 8], [5, 7, 9]]> : tensor<3x3xui8>"),
            "dense<[18446744073709551615, 18446744073709551615, 128]> : "
            "tensor<3xui64>");
}

TEST(EvalSearch, TestBits) {
  EXPECT_EQ(evaluateOp("search.test_bits %0 at %1 : (tensor<2xui64>, "
                       "tensor<5xui64>) -> tensor<5xi1>",
                       "tensor<5xi1>",
                       {"dense<[5, 2]> : tensor<2xui64>",
                        "dense<[0, 1, 65, 128, 18446744073709551615]> : "
                        "tensor<5xui64>"}),
            "dense<[true, false, true, false, false]> : tensor<5xi1>");
}

TEST(EvalSearch, NotedBits) {
  // Positions 3, 70 and 65, one of them twice, and one in no word: an entry for
  // each word that has some, or for all words.
  auto index = [&](const std::string &positions, int64_t size, int64_t words) {
    std::string type = "tensor<" + std::to_string(size) + "x",
                list = "tensor<?xui64>";
    return evaluateBody("  %p, %n, %w, %m, %f = search.index_bits %0 words " +
                            std::to_string(words) + " : " + type + "ui64> -> " +
                            type + "i64>, " + list + ", " + list + ", " + list +
                            ", " + list + "\n  return %p, %n, %w, %m, %f",
                        type + "i64>, " + list + ", " + list + ", " + list +
                            ", " + list,
                        {"dense<" + positions + "> : " + type + "ui64>"});
  };
  EXPECT_EQ(index("[70, 3, 4000, 70, 65]", 5, 9),
            "dense<[2, 0, 5, 2, 1]> : tensor<5xi64>\n"
            "dense<[0, 1, 2, 0, 0, 0]> : tensor<6xui64>\n"
            "dense<[0, 1, 9, 9, 9]> : tensor<5xui64>\n"
            "dense<[8, 66, 0, 0, 0]> : tensor<5xui64>\n"
            "dense<[0, 9223372036854775809, 3, 3, 3]> : tensor<5xui64>");
  EXPECT_EQ(index("[70, 200, 64]", 3, 3), "dense<[1, 3, 0]> : tensor<3xi64>\n"
                                          "dense<0> : tensor<4xui64>\n"
                                          "dense<[0, 1, 2]> : tensor<3xui64>\n"
                                          "dense<[0, 65, 0]> : tensor<3xui64>\n"
                                          "dense<[0, 0, 2]> : tensor<3xui64>");
  // Bits 1 and 3 of word 0, and bit 6 of word 1; a word after the last.
  EXPECT_EQ(
      evaluateBody(
          "  %a, %c = search.note_bits %0 at (%1, %2, %3) counts %4 into %5 "
          "number %6 : (tensor<2xui64>, tensor<3xui64>, tensor<3xui64>, "
          "tensor<3xui64>, tensor<5xui64>, tensor<5xi64>, tensor<i64>) -> "
          "(tensor<5xi64>, tensor<i64>)\n  return %a, %c",
          "tensor<5xi64>, tensor<i64>",
          {"dense<[10, 64]> : tensor<2xui64>",
           "dense<[0, 1, 9]> : tensor<3xui64>",
           "dense<[12, 65, 1]> : tensor<3xui64>",
           "dense<[0, 9223372036854775810, 4]> : tensor<3xui64>",
           "dense<[7, 7, 1, 5, 7]> : tensor<5xui64>",
           "dense<-1> : tensor<5xi64>", "dense<6> : tensor<i64>"}),
      "dense<[-1, 6, -1, 6, -1]> : tensor<5xi64>\ndense<6> : tensor<i64>");
}

TEST(EvalSearch, CountNeighbours) {
  // The first move swaps two numbers, the second one leaves a state as it is,
  // the third one repeats the last number, wherever beyond its source is.
  const std::string moves =
      "dense<[[1, 0, 2], [0, 1, 2], [0, 2, 9]]> : tensor<3x3xui32>";
  auto counts = [&](const std::string &set) {
    return evaluateBody(
        "  %a, %b, %m = search.count_neighbours %0 moved by %1 without (%2, "
        "%0) "
        ": "
        "(tensor<2x3xui16>, tensor<3x3xui32>, tensor<2x3xui16>, "
        "tensor<2x3xui16>) -> (tensor<i64>, tensor<i64>, tensor<6xi1>)\n"
        "  return %a, %b, %m",
        "tensor<i64>, tensor<i64>, tensor<6xi1>",
        {"dense<[[1, 2, 3], [2, 1, 3]]> : tensor<2x3xui16>", moves,
         "dense<" + set + "> : tensor<2x3xui16>"});
  };
  EXPECT_EQ(counts("[[9, 9, 9], [8, 8, 8]]"),
            "dense<4> : tensor<i64>\ndense<2> : tensor<i64>\ndense<[false, "
            "false, true, false, false, true]> : tensor<6xi1>");
  EXPECT_EQ(counts("[[1, 3, 3], [1, 3, 3]]"),
            "dense<4> : tensor<i64>\ndense<1> : tensor<i64>\ndense<[false, "
            "false, false, false, false, true]> : tensor<6xi1>");
}

TEST(EvalSearch, TestAndSet) {
  EXPECT_EQ(
      evaluateBody("  %a, %b = search.test_and_set %0 (%1) : (tensor<2xui64>, "
                   "tensor<4xui64>) -> (tensor<?xui64>, tensor<2xui64>)\n"
                   "  return %a, %b",
                   "tensor<?xui64>, tensor<2xui64>",
                   {"dense<[1, 0]> : tensor<2xui64>",
                    "dense<[0, 66, 66, 128]> : tensor<4xui64>"}),
      "dense<66> : tensor<1xui64>\ndense<[1, 4]> : tensor<2xui64>");
}

TEST(EvalSearch, TestAndSetWithTags) {
  // Positions 0, 66, 66 and 128 with tags 1, 2, 3 and 0.
  EXPECT_EQ(
      evaluateBody(
          "  %a, %b = search.test_and_set %0 (%1) tags 2 : (tensor<2xui64>, "
          "tensor<4xui64>) -> (tensor<?xui64>, tensor<2xui64>)\n"
          "  return %a, %b",
          "tensor<?xui64>, tensor<2xui64>",
          {"dense<[1, 0]> : tensor<2xui64>",
           "dense<[1, 266, 267, 512]> : tensor<4xui64>"}),
      "dense<266> : tensor<1xui64>\ndense<[1, 4]> : tensor<2xui64>");
}

TEST(EvalSearch, AppendNew) {
  // Of the known rows two count; one candidate is known and one comes twice.
  const std::string types =
      "(tensor<4xui64>, tensor<3x2xui8>, tensor<4x2xui8>, tensor<i64>, "
      "tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x2xui8>, "
      "tensor<i64>)\n";
  auto run = [&](const std::string &rows, const std::string &cells) {
    return evaluateBody(
        "  %i, %l, %n = search.append_new %0, (%1), (%2) count %3 rows %4 "
        "cells %5 : " +
            types + "  return %l, %n",
        "tensor<?x2xui8>, tensor<i64>",
        {"dense<9> : tensor<4xui64>",
         "dense<[[1, 2], [3, 4], [7, 7]]> : tensor<3x2xui8>",
         "dense<[[7, 7], [3, 4], [7, 7], [2, 1]]> : tensor<4x2xui8>",
         "dense<2> : tensor<i64>", "dense<" + rows + "> : tensor<i64>",
         "dense<" + cells + "> : tensor<i64>"});
  };
  EXPECT_EQ(run("5", "16"), "dense<[[1, 2], [3, 4], [7, 7], [2, 1], [0, 0]]> : "
                            "tensor<5x2xui8>\ndense<4> : tensor<i64>");
  // What does not fit is left out.
  EXPECT_EQ(run("3", "16"), "dense<[[1, 2], [3, 4], [7, 7]]> : "
                            "tensor<3x2xui8>\ndense<3> : tensor<i64>");
  EXPECT_EQ(run("3", "4"), run("3", "16"));
}

TEST(EvalSearch, AppendNewComparesTheFirstParts) {
  // The second part comes with a row and tells none apart; without compared
  // parts every candidate is new.
  auto run = [&](const std::string &compared, const std::string &cells) {
    return evaluateBody(
        "  %i, %k, %l, %n = search.append_new %0, (%1, %2), (%3, %4) count %5 "
        "rows %6 cells %7 compared " +
            compared +
            " : (tensor<0xui64>, tensor<1x2xui8>, tensor<1xi64>, "
            "tensor<3x2xui8>, tensor<3xi64>, tensor<i64>, tensor<i64>, "
            "tensor<i64>) -> (tensor<?xui64>, tensor<?x2xui8>, tensor<?xi64>, "
            "tensor<i64>)\n  return %l, %n",
        "tensor<?xi64>, tensor<i64>",
        {"dense<> : tensor<0xui64>", "dense<[[1, 2]]> : tensor<1x2xui8>",
         "dense<5> : tensor<1xi64>",
         "dense<[[3, 4], [1, 2], [3, 4]]> : tensor<3x2xui8>",
         "dense<[6, 7, 8]> : tensor<3xi64>", "dense<1> : tensor<i64>",
         "dense<4> : tensor<i64>", "dense<" + cells + "> : tensor<i64>"});
  };
  EXPECT_EQ(run("1", "16"), "dense<[5, 6, 0, 0]> : tensor<4xi64>\ndense<2> : "
                            "tensor<i64>");
  EXPECT_EQ(run("2", "16"), "dense<[5, 6, 7, 8]> : tensor<4xi64>\ndense<4> : "
                            "tensor<i64>");
  EXPECT_EQ(run("0", "0"), run("2", "16"));
}
