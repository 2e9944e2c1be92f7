// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar in which users say optimizers, schedules, losses and initial
// values: calls, literals, lists and dicts, as Python writes them.

#ifndef ZENITH_FRONTENDS_TRAINING_OPTIMIZERTEXT_H
#define ZENITH_FRONTENDS_TRAINING_OPTIMIZERTEXT_H

#include "ir/Error.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zenith::training {

/// A literal, a list, a dict or a call.
struct Expression {
  enum class Kind { None, Boolean, Number, String, List, Dict, Call };

  Kind kind = Kind::None;
  double number = 0;      ///< of a number; 0 or 1 of a boolean
  bool isInteger = false; ///< of a number without point or exponent
  std::string text;       ///< of a string; name of a call
  /// Of a list or a call, positional arguments; of a dict, keys and values in
  /// turn.
  std::vector<Expression> items;
  std::vector<std::pair<std::string, Expression>> named; ///< of a call
};

/// Reads one expression. A name alone is a call without arguments; the prefix
/// `optax.` is skipped. Errors are of code Usage, begin with `option` and say
/// the column.
Result<Expression> parseExpression(std::string_view text,
                                   std::string_view option);

/// What stands for it in messages: "a number", "a call of adam".
std::string describe(const Expression &expression);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_OPTIMIZERTEXT_H
