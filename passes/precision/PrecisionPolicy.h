// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --mixed-precision says, as values: types, and ops that change lists.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONPOLICY_H
#define ZENITH_PASSES_PRECISION_PRECISIONPOLICY_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinTypes.h"
#include "passes/precision/PrecisionRule.h"
#include <map>
#include <optional>

namespace zenith::precision {

enum class FloatWord { F32, BF16, F16 };
/// "f32", "bf16" or "f16".
llvm::StringRef wordOf(FloatWord word);
/// The word for a type: also float32, full, bfloat16, float16, fp16.
std::optional<FloatWord> floatWordOf(llvm::StringRef text);
mlir::Type elementTypeOf(FloatWord word, mlir::MLIRContext *context);

/// docs/precision.md has the meaning of the fields.
struct Policy {
  FloatWord params = FloatWord::F32;
  FloatWord compute = FloatWord::F32;
  FloatWord store = FloatWord::F32;
  FloatWord output = FloatWord::F32;
  bool roundsInputs = false;         ///< inputs=compute
  std::map<std::string, List> moved; ///< by policyName() or mnemonic

  /// The list of an op under this policy.
  List listOf(mlir::Operation *op) const;
};

/// The names that policies have for ops of GraphIR: mnemonics, also with a
/// kind.
std::vector<std::string> policyNames(mlir::MLIRContext *context);

/// ", the nearest is 'NAME'" for the end of a message; empty where nothing is
/// known.
std::string nearest(llvm::StringRef word, llvm::ArrayRef<std::string> known);

/// Reads ITEM[,ITEM]..., where an ITEM is a preset (the first only) or
/// KEY=VALUE. Ops are looked up in `context`. Errors: 1 for what is unknown or
/// given twice, with the nearest known word; 3 for accumulators below f32.
Result<Policy> parsePolicy(llvm::StringRef text, mlir::MLIRContext *context);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_PRECISIONPOLICY_H
