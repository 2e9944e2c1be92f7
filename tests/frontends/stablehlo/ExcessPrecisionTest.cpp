// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether conversions skip the rounding of bf16 results is the caller's choice.

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/GraphDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zenith;

namespace {

constexpr const char *program = R"(
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xf32> {
  %sum = stablehlo.add %x, %y : tensor<4xbf16>
  %wide = stablehlo.convert %sum : (tensor<4xbf16>) -> tensor<4xf32>
  return %wide : tensor<4xf32>
}
)";

std::string imported(bool excessPrecision) {
  DialectRegistry dialects;
  dialects.insert<graph::GraphDialect>();
  stablehlo::registerStableHLODialects(dialects);
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(program, ParserConfig(&context));
  stablehlo::ImportOptions options;
  options.excessPrecision = excessPrecision;
  auto result = stablehlo::importStableHLO(*module, options);
  if (!result)
    return llvm::toString(result.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  result->module->print(os);
  return text;
}

TEST(ExcessPrecision, sums_are_wide_where_asked) {
  EXPECT_NE(imported(true).find("graph.add %0, %1 : tensor<4xf32>"),
            std::string::npos)
      << imported(true);
  EXPECT_NE(imported(false).find("graph.add %arg0, %arg1 : tensor<4xbf16>"),
            std::string::npos)
      << imported(false);
}

} // namespace
