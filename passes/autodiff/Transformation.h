// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that make a function from a function, as users and programs write them.

#ifndef ZENITH_PASSES_AUTODIFF_TRANSFORMATION_H
#define ZENITH_PASSES_AUTODIFF_TRANSFORMATION_H

#include "ir/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zenith::autodiff {

/// What the tape of a loop whose trips depend on data keeps.
enum class TapeForm {
  Default, ///< every row, or under a budget of memory what fits
  Store,   ///< every row
  Sqrt     ///< every ceil(sqrt(n))-th row; those between are computed again
};

/// One rule with its options, such as `vjp{wrt=0,2 of=1}`.
struct Transformation {
  enum class Rule { Vjp, Jvp, Grad, Vmap };

  Rule rule = Rule::Vjp;
  std::string entry; ///< the function; empty: the program's entry
  std::string name;  ///< of the new function; empty: ENTRY_RULE
  /// Indices or names of arguments, @NAME of parameters; empty: all of floats.
  std::vector<std::string> wrt;
  std::vector<std::string> of; ///< indices of results; empty: all of floats
  TapeForm tape = TapeForm::Default;
  /// Per argument the dimension to map over or `_`; of results, one or one for
  /// each. Rule vmap alone.
  std::vector<std::string> in, out;
};

/// The word of a rule.
llvm::StringRef wordOf(Transformation::Rule rule);

/// Reads `RULE{OPTION=VALUE,VALUE OPTION=...}`; the braces may be missing.
/// Errors are of code Usage and say the nearest name.
Result<Transformation> parseTransformation(llvm::StringRef text);
/// The same of a rule and its options apart, as graph.derive has them.
Result<Transformation> parseTransformation(llvm::StringRef rule,
                                           llvm::StringRef options);

/// A number in [0, count), else an error of code Usage that says `option`.
Result<unsigned> parseIndex(llvm::StringRef option, llvm::StringRef text,
                            size_t count, llvm::StringRef things);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_TRANSFORMATION_H
