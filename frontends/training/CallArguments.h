// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a call by the signature of the function that it names.

#ifndef ZENITH_FRONTENDS_TRAINING_CALLARGUMENTS_H
#define ZENITH_FRONTENDS_TRAINING_CALLARGUMENTS_H

#include "frontends/training/OptimizerText.h"

#include <map>
#include <optional>

namespace zenith::training {

/// What the reading of one text has in common: the option that it is of, and
/// the first mistake. Readers go on after a mistake with any value.
struct TextReading {
  std::string option;
  std::optional<Error> error;

  void fail(const std::string &text) {
    if (!error)
      error = Error{ErrorCode::Usage, option + ": " + text, {}};
  }
};

/// Whether a parameter's name matches a mask: nothing, a boolean, a glob or
/// globs.
class NameMask {
public:
  /// Everything.
  NameMask() = default;
  static NameMask read(const Expression &mask, TextReading &reading);
  bool matches(const std::string &name) const;

private:
  bool all = true;
  std::vector<std::string> globs;
};

/// Whether `name` matches a glob of `*`, `?`, `[...]` and `{a,b}`. A text that
/// is no glob matches nothing.
bool matchesGlob(const std::string &glob, const std::string &name);
/// An error of code Usage where the text is no glob.
Status checkGlob(const std::string &glob, const std::string &option);

/// Values of the parameters of one function.
class CallArguments {
public:
  /// `signature` is what Python writes between the parentheses of a def:
  /// "learning_rate, b1=0.9, *, nesterov=False". A mistake goes to `reading`:
  /// too many, unknown (with the nearest name), twice, missing.
  CallArguments(const Expression &call, const std::string &signature,
                TextReading &reading);

  TextReading &reading() const { return *shared; }
  /// The value that was given, or the default.
  const Expression &operator[](const std::string &name) const;
  bool has(const std::string &name) const { return values.count(name); }
  double number(const std::string &name) const;
  /// Of a function whose signature may lack it.
  double numberOr(const std::string &name, double missing) const {
    return has(name) ? number(name) : missing;
  }
  bool booleanOr(const std::string &name, bool missing) const {
    return has(name) ? boolean(name) : missing;
  }
  std::optional<double> optionalNumber(const std::string &name) const;
  int64_t integer(const std::string &name) const;
  bool boolean(const std::string &name) const;
  std::string string(const std::string &name) const;
  /// Globs, as NameMask reads them.
  NameMask mask(const std::string &name) const;
  void fail(const std::string &text) const {
    shared->fail(function + ": " + text);
  }

private:
  std::string function;
  std::map<std::string, Expression> values;
  TextReading *shared;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_CALLARGUMENTS_H
