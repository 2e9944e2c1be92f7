// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops: one program per mistake, with the sentence that
// names it.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zenith;

namespace {

struct Mistake {
  const char *name, *ops, *message;
};

/// The first message about the function's body; empty where it is valid.
std::string messageOf(llvm::StringRef ops) {
  DialectRegistry registry;
  stablehlo::registerStableHLODialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  std::string text =
      "func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %v: tensor<3xf32>"
      ", %s: tensor<f32>, %i: tensor<i32>, %l: tensor<2x3xi32>, %p: tensor<i1>"
      ", %c: tensor<2x3xcomplex<f32>>, %x: tensor<2x2xi64>) {\n" +
      ops.str() + "\nreturn\n}";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  return module ? "" : message.empty() ? "no message" : message;
}

class Constraint : public testing::TestWithParam<Mistake> {};

TEST_P(Constraint, is_reported) {
  EXPECT_NE(messageOf(GetParam().ops).find(GetParam().message),
            std::string::npos)
      << messageOf(GetParam().ops);
}

const char *const addBody =
    "({ ^bb0(%m: tensor<f32>, %n: tensor<f32>): %t = stablehlo.add %m, %n : "
    "tensor<f32>\n stablehlo.return %t : tensor<f32> })";

const Mistake mistakes[] = {
    {"add_c1",
     "%r = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
     "tensor<2x3xf32>",
     "requires compatible types for all operands"},
    {"abs_c1",
     "%r = \"stablehlo.abs\"(%c) : (tensor<2x3xcomplex<f32>>) -> "
     "tensor<2x3xcomplex<f32>>",
     "inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s)"},
    {"clamp_c1",
     "%r = \"stablehlo.clamp\"(%v, %a, %s) : (tensor<3xf32>, tensor<2x3xf32>, "
     "tensor<f32>) -> tensor<2x3xf32>",
     "min shape [3] is not scalar and is not compatible to operand shape [2, "
     "3]"},
    {"select_c2",
     "%r = \"stablehlo.select\"(%p, %a, %b) : (tensor<i1>, tensor<2x3xf32>, "
     "tensor<3x4xf32>) -> tensor<2x3xf32>",
     "requires compatible types for non-predicate operands"},
    {"bitcast_convert_c1",
     "%r = \"stablehlo.bitcast_convert\"(%a) : (tensor<2x3xf32>) -> "
     "tensor<2x3xf64>",
     "requires compatible bit widths"},
    {"broadcast_in_dim_c4",
     "%r = \"stablehlo.broadcast_in_dim\"(%a) {broadcast_dimensions = "
     "array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
     "broadcast_dimensions should not have duplicates"},
    {"broadcast_in_dim_c5",
     "%r = \"stablehlo.broadcast_in_dim\"(%v) {broadcast_dimensions = "
     "array<i64: 0>} : (tensor<3xf32>) -> tensor<2x3xf32>",
     "size of operand dimension 0 (3) is not equal to 1 or size of result "
     "dimension 0 (2)"},
    {"reshape_c2",
     "%r = \"stablehlo.reshape\"(%a) : (tensor<2x3xf32>) -> tensor<5xf32>",
     "number of output elements (5) doesn't match expected number of elements "
     "(6)"},
    {"transpose_c2",
     "%r = \"stablehlo.transpose\"(%a) {permutation = array<i64: 0, 0>} : "
     "(tensor<2x3xf32>) -> tensor<2x2xf32>",
     "attribute permutation must be a permutation of [0, 1] but got 0, 0"},
    {"slice_c3",
     "%r = \"stablehlo.slice\"(%v) {start_indices = array<i64: 0>, "
     "limit_indices = array<i64: 4>, strides = array<i64: 1>} : "
     "(tensor<3xf32>) -> tensor<4xf32>",
     "limit index 4 is larger than dimension size 3"},
    {"pad_c3",
     "%r = \"stablehlo.pad\"(%v, %s) {edge_padding_low = array<i64: 0>, "
     "edge_padding_high = array<i64: 0>, interior_padding = array<i64: -1>} : "
     "(tensor<3xf32>, tensor<f32>) -> tensor<1xf32>",
     "Interior padding cannot be negative: -1"},
    {"concatenate_c6",
     "%r = \"stablehlo.concatenate\"(%a, %b) {dimension = 0 : i64} : "
     "(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<5x3xf32>",
     "are not compatible at non-concat index 1"},
    {"iota_c1",
     "%r = \"stablehlo.iota\"() {iota_dimension = 2 : i64} : () -> "
     "tensor<2x3xi32>",
     "iota dimension cannot go beyond the output rank"},
    {"dot_general_c10",
     "%r = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = "
     "#stablehlo.dot<lhs_contracting_dimensions = [0], "
     "rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) "
     "-> tensor<3x4xf32>",
     "contracting dimension sizes must match for lhs/rhs"},
    {"select_and_scatter_c4",
     "%r = \"stablehlo.select_and_scatter\"(%a, %a, %s) ({ ^bb0(%m: "
     "tensor<f32>, %n: tensor<f32>): %t = stablehlo.compare GE, %m, %n : "
     "(tensor<f32>, tensor<f32>) -> tensor<i1>\n stablehlo.return %t : "
     "tensor<i1> }, { ^bb0(%m: tensor<f32>, %n: tensor<f32>): %t = "
     "stablehlo.add %m, %n : tensor<f32>\n stablehlo.return %t : tensor<f32> "
     "}) {window_dimensions = array<i64>} : (tensor<2x3xf32>, "
     "tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
     "expects window-dimensions size == operand rank, but got "
     "window-dimensions size: 0"},
    {"reduce_c5",
     "%r = \"stablehlo.reduce\"(%a, %s) ({ ^bb0(%m: tensor<f32>, %n: "
     "tensor<f32>): stablehlo.return %m : tensor<f32> }) {dimensions = "
     "array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
     "Duplicate reduction dimension: 1"},
    {"reduce_c6",
     "%r = \"stablehlo.reduce\"(%a, %s) ({ ^bb0(%m: tensor<f32>): "
     "stablehlo.return %m : tensor<f32> }) {dimensions = array<i64: 1>} : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
     "Reduction-region must take 2 parameters, but takes 1 parameter(s)"},
    {"reduce_window_c5",
     "%r = \"stablehlo.reduce_window\"(%v, %s) ({ ^bb0(%m: tensor<f32>, %n: "
     "tensor<f32>): stablehlo.return %m : tensor<f32> }) {window_dimensions = "
     "array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
     "expects window to have positive value for 0-th window dimension, but got "
     "0."},
    {"sort_c4",
     "%r = \"stablehlo.sort\"(%v) ({ ^bb0(%m: tensor<f32>, %n: tensor<f32>): "
     "stablehlo.return %p : tensor<i1> }) {dimension = 1 : i64} : "
     "(tensor<3xf32>) -> tensor<3xf32>",
     "dimension attribute value must be in range [-1, 1), but found 1"},
    {"while_c2",
     "%r = \"stablehlo.while\"(%i) ({ ^bb0(%m: tensor<i32>): stablehlo.return "
     "%p : tensor<i1> }, { ^bb0(%m: tensor<i32>): stablehlo.return %s : "
     "tensor<f32> }) : (tensor<i32>) -> tensor<i32>",
     "expect operands to be compatible with body block return types"},
    {"if_c3",
     "%r = \"stablehlo.if\"(%p) ({ stablehlo.return %s : tensor<f32> }, { "
     "stablehlo.return %i : tensor<i32> }) : (tensor<i1>) -> tensor<f32>",
     "branch 0 and branch 1 have mismatched return types"},
    {"gather_c13",
     "%r = \"stablehlo.gather\"(%a, %x) {dimension_numbers = "
     "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
     "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: "
     "1, 3>} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>",
     "start_index_map size (1) is not equal to size of index dimension (1) of "
     "start_indices (2)"},
    {"dynamic_slice_c4",
     "%r = \"stablehlo.dynamic_slice\"(%v, %i) {slice_sizes = array<i64: 4>} : "
     "(tensor<3xf32>, tensor<i32>) -> tensor<4xf32>",
     "has slice size 4 greater than dimension size 3"},
    {"fft_c2",
     "%r = \"stablehlo.fft\"(%a) {fft_type = #stablehlo<fft_type FFT>, "
     "fft_length = array<i64: 3>} : (tensor<2x3xf32>) -> "
     "tensor<2x3xcomplex<f32>>",
     "FFT/IFFT/IRFFT take a complex tensor as input, but is given "
     "'tensor<2x3xf32>'"},
    {"cholesky_c3",
     "%r = \"stablehlo.cholesky\"(%a) {lower = true} : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "minor dimensions of 'a' must have equal size"},
    {"custom_call_c1",
     "%r = \"stablehlo.custom_call\"(%v) {call_target_name = \"f\", "
     "operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<3xf32>) -> "
     "tensor<3xf32>",
     "Layout attributes should be specified for either both operands and "
     "results or none."},
    {"collective_permute_c2",
     "%r = \"stablehlo.collective_permute\"(%v) {source_target_pairs = "
     "dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<3xf32>) -> "
     "tensor<3xf32>",
     "duplicate sources not allowed"},
    {"all_to_all_c4",
     "%r = \"stablehlo.all_to_all\"(%v) {split_dimension = 0 : i64, "
     "concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = "
     "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<3xf32>",
     "split dimension has size 3, expected to be a multiple of split_count 2"},
    {"exponential_c2",
     "%r = \"stablehlo.exponential\"(%v) {result_accuracy = "
     "#stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 0, mode = "
     "#stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<3xf32>) -> "
     "tensor<3xf32>",
     "Invalid tolerances for ResultAccuracyAttr with mode HIGHEST, must be all "
     "zero."}};

INSTANTIATE_TEST_SUITE_P(VerifyStableHLO, Constraint,
                         testing::ValuesIn(mistakes),
                         [](const testing::TestParamInfo<Mistake> &info) {
                           return std::string(info.param.name);
                         });

TEST(VerifyStableHLO, accepts_valid_programs) {
  EXPECT_EQ(messageOf(std::string("%r = \"stablehlo.reduce\"(%a, %s) ") +
                      addBody +
                      " {dimensions = array<i64: 1>} : (tensor<2x3xf32>, "
                      "tensor<f32>) -> tensor<2xf32>"),
            "");
  EXPECT_EQ(messageOf("%r = stablehlo.dot_general %a, %b, contracting_dims = "
                      "[1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
                      "tensor<2x4xf32>"),
            "");
}

} // namespace
