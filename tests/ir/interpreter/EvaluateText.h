// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs functions written as text and gives their results as text.

#ifndef ZENITH_TESTS_IR_INTERPRETER_EVALUATETEXT_H
#define ZENITH_TESTS_IR_INTERPRETER_EVALUATETEXT_H

#include "ir/interpreter/Interpreter.h"
#include <string>
#include <vector>

namespace zenith::interpreter {

/// Results of @main of `module` on arguments such as "dense<[1.0, 2.0]> :
/// tensor<2xf32>", printed in the same way, one to a line; or "error: ...".
std::string evaluateModule(const std::string &module,
                           const std::vector<std::string> &arguments = {},
                           const Options &options = {});

/// The same for one op: `text` reads %0, %1, ... which are the arguments, in
/// static types.
std::string evaluateOp(const std::string &text, const std::string &resultType,
                       const std::vector<std::string> &arguments = {});

/// The same for several ops: `body` gives what it returns, of `resultTypes`, as
/// in "return %a, %b : ...".
std::string evaluateBody(const std::string &body,
                         const std::string &resultTypes,
                         const std::vector<std::string> &arguments = {});

} // namespace zenith::interpreter

#endif // ZENITH_TESTS_IR_INTERPRETER_EVALUATETEXT_H
