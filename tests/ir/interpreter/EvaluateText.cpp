// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text in a context of its own and prints values as attributes.

#include "EvaluateText.h"
#include "ir/SearchOps.h"

#include "ir/GraphDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace zenith;

std::string
interpreter::evaluateModule(const std::string &text,
                            const std::vector<std::string> &arguments,
                            const Options &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<graph::GraphDialect, search::SearchDialect,
                      func::FuncDialect>();
  std::string printed;
  llvm::raw_string_ostream os(printed);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    os << "parse error: " << diagnostic;
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return printed;
  std::vector<Tensor> values;
  for (const std::string &argument : arguments) {
    auto elements =
        dyn_cast_or_null<ElementsAttr>(parseAttribute(argument, &context));
    if (!elements)
      return printed + " in " + argument;
    values.push_back(Tensor::fromElements(elements));
  }
  llvm::Expected<std::vector<Tensor>> results =
      run(module->lookupSymbol<func::FuncOp>("main"), values, options);
  if (!results)
    return "error: " + llvm::toString(results.takeError());
  for (const Tensor &result : *results)
    os << (printed.empty() ? "" : "\n") << result.toElements();
  return printed;
}

std::string
interpreter::evaluateBody(const std::string &body,
                          const std::string &resultTypes,
                          const std::vector<std::string> &arguments) {
  std::string parameters;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters += (i ? ", %" : "%") + std::to_string(i) +
                  arguments[i].substr(arguments[i].rfind(" : ") + 1);
  return evaluateModule("func.func @main(" + parameters + ") -> (" +
                            resultTypes + ") {\n" + body + " : " + resultTypes +
                            "\n}",
                        arguments);
}

std::string interpreter::evaluateOp(const std::string &text,
                                    const std::string &resultType,
                                    const std::vector<std::string> &arguments) {
  return evaluateBody("  %r = " + text + "\n  return %r", resultType,
                      arguments);
}
