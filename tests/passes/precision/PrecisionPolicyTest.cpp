// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies as texts: presets, keys, and what is wrong with others.

#include "passes/precision/PrecisionPolicy.h"
#include "ir/GraphOps.h"
#include "mlir/IR/MLIRContext.h"
#include "passes/precision/PrecisionChoices.h"
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::precision;

namespace {

class PrecisionPolicies : public testing::Test {
protected:
  void SetUp() override { context.loadDialect<graph::GraphDialect>(); }
  Policy policy(llvm::StringRef text) {
    Result<Policy> read = parsePolicy(text, &context);
    EXPECT_TRUE(bool(read)) << (read ? "" : read.error().text);
    return read ? *read : Policy();
  }
  Error error(llvm::StringRef text) {
    Result<Policy> read = parsePolicy(text, &context);
    EXPECT_FALSE(bool(read)) << text.str();
    return read ? Error{} : read.error();
  }
  mlir::MLIRContext context;
};

TEST_F(PrecisionPolicies, presets_set_the_keys_that_they_stand_for) {
  Policy jmp = policy("bf16-jmp");
  EXPECT_EQ(jmp.compute, FloatWord::BF16);
  EXPECT_EQ(jmp.store, FloatWord::BF16);
  EXPECT_EQ(jmp.output, FloatWord::BF16);
  EXPECT_EQ(jmp.params, FloatWord::F32);
  EXPECT_TRUE(jmp.roundsInputs);
  Policy weights = policy("fp16-weights");
  EXPECT_EQ(weights.params, FloatWord::F16);
  EXPECT_EQ(weights.compute, FloatWord::F32);
  EXPECT_EQ(policy("fp16-autocast").store, FloatWord::F16);
  EXPECT_EQ(policy("bf16").store, FloatWord::F32);
  EXPECT_EQ(policy("f32").compute, FloatWord::F32);
}

TEST_F(PrecisionPolicies, later_items_win_over_the_preset) {
  Policy own = policy("bf16-jmp,output=full,inputs=keep,deny=gelu+softmax");
  EXPECT_EQ(own.output, FloatWord::F32);
  EXPECT_FALSE(own.roundsInputs);
  EXPECT_EQ(own.moved.at("gelu"), List::Deny);
  EXPECT_EQ(policy("bf16,follow=reduce_sum").moved.at("reduce_sum"),
            List::Follow);
}

TEST_F(PrecisionPolicies, errors_name_the_word_and_the_nearest) {
  struct Row {
    const char *text;
    ErrorCode code;
    const char *words;
  } rows[] = {
      {"computes=bf16", ErrorCode::Usage,
       "'computes' is no key, the nearest is 'compute'"},
      {"compute=bf15", ErrorCode::Usage,
       "'bf15' is no type, the nearest is 'bf16'"},
      {"bf16-autocats", ErrorCode::Usage, "the nearest is 'bf16-autocast'"},
      {"compute=bf16,compute=f16", ErrorCode::Usage,
       "'compute' is given twice"},
      {"bf16,deny=soft_max", ErrorCode::Usage,
       "'soft_max' is no op, the nearest is 'softmax'"},
      {"bf16,deny=gelu,allow=gelu", ErrorCode::Usage, "'gelu' is in two lists"},
      {"bf16,deny=gelu+gelu", ErrorCode::Usage, "'gelu' is given twice"},
      {"bf16,accumulate=bf16", ErrorCode::Unsupported, "accumulate=bf16"},
      {"compute=i8", ErrorCode::Usage, "'i8' is a matter of --quantize"},
      {"compute=bf16,f32", ErrorCode::Usage, "does not come first"},
      {"bf16,store=f16", ErrorCode::Usage, "store=f16 needs compute=f16"},
      {"inputs=f32", ErrorCode::Usage, "expected keep or compute"},
      {"", ErrorCode::Usage, "'' is no preset"}};
  for (const Row &row : rows) {
    Error found = error(row.text);
    EXPECT_EQ(found.code, row.code) << row.text;
    EXPECT_NE(found.text.find(row.words), std::string::npos) << found.text;
  }
}

TEST(PrecisionChoices, are_read_as_they_are_written) {
  PrecisionChoices choices{{"fc1", {FloatWord::BF16, 0.5, 0.25}},
                           {"fc2", {FloatWord::F32, {}, {}}}};
  Result<PrecisionChoices> again = parseChoices(choicesText(choices, true));
  ASSERT_TRUE(bool(again));
  EXPECT_EQ((*again)["fc1"].type, FloatWord::BF16);
  EXPECT_EQ((*again)["fc1"].ownError, 0.5);
  EXPECT_EQ((*again)["fc2"].type, FloatWord::F32);
  EXPECT_EQ(choicesText(choices, false),
            "{\n  \"fc1\": \"bf16\",\n  \"fc2\": \"f32\"\n}\n");
  for (const char *text : {"", "[]", "{\"a\": \"f8\"}", "{\"a\": 1}"})
    EXPECT_FALSE(bool(parseChoices(text))) << text;
}

} // namespace
