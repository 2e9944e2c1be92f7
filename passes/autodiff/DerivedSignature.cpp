// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and indices are looked up in signatures, and derivatives get names.

#include "passes/autodiff/DerivedSignature.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/ShapeChecks.h"
#include "ir/program/ProgramChecks.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static llvm::Error noFloats(StringRef option, const Twine &what, Type type) {
  return makeError(ErrorCode::Usage, option + ": " + what + " is " +
                                         typeText(type) +
                                         ", expected a tensor of floats");
}

static llvm::Error addArgument(func::FuncOp function, unsigned index,
                               SmallVectorImpl<Variable> &variables) {
  Type type = function.getArgumentTypes()[index];
  if (!isDifferentiable(type))
    return noFloats("wrt", "argument " + Twine(index), type);
  variables.push_back({nameOfArgument(function, index), type, index, ""});
  return llvm::Error::success();
}

static llvm::Error addParam(func::FuncOp function, StringRef name,
                            SmallVectorImpl<Variable> &variables) {
  auto module = function->getParentOfType<ModuleOp>();
  bool all = name == "*", found = false;
  for (auto param : module.getOps<ParamOp>()) {
    Type type = param.getType();
    if (all ? !isDifferentiable(type) : param.getSymName() != name)
      continue;
    if (!isDifferentiable(type))
      return noFloats("wrt", "@" + name, type);
    found = true;
    variables.push_back(
        {param.getSymName().str(), type, 0, param.getSymName().str()});
  }
  if (!found && !all)
    return makeError(ErrorCode::Usage,
                     "wrt: the program has no parameter @" + name);
  return llvm::Error::success();
}

static llvm::Error addVariable(func::FuncOp function, StringRef text,
                               SmallVectorImpl<Variable> &variables) {
  if (text.consume_front("@"))
    return addParam(function, text, variables);
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (nameOfArgument(function, i) == text)
      return addArgument(function, i, variables);
  Result<unsigned> index =
      parseIndex("wrt", text, function.getNumArguments(), "arguments");
  return index ? addArgument(function, *index, variables)
               : makeError(index.error());
}

llvm::Expected<SmallVector<Variable>>
variablesOf(func::FuncOp function, const Transformation &transformation) {
  SmallVector<Variable> variables;
  for (const std::string &text : transformation.wrt)
    if (llvm::Error error = addVariable(function, text, variables))
      return std::move(error);
  if (transformation.wrt.empty())
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isDifferentiable(type))
        llvm::cantFail(addArgument(function, index, variables));
  for (size_t i = 0; i < variables.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (variables[i].argument == variables[j].argument &&
          variables[i].param == variables[j].param)
        return makeError(ErrorCode::Usage,
                         "wrt: names " +
                             (variables[i].param.empty()
                                  ? "argument " + Twine(variables[i].argument)
                                  : "@" + Twine(variables[i].param)) +
                             " twice");
  if (variables.empty())
    return makeError(ErrorCode::Usage,
                     "wrt: @" + function.getSymName() +
                         " has no argument of floats to differentiate by");
  return variables;
}

llvm::Expected<SmallVector<unsigned>>
resultsOf(func::FuncOp function, const Transformation &transformation) {
  TypeRange types = function.getResultTypes();
  bool isGrad = transformation.rule == Transformation::Rule::Grad;
  std::vector<std::string> of = transformation.of;
  if (isGrad && of.empty())
    of = {"0"};
  SmallVector<unsigned> results;
  for (const std::string &text : of) {
    Result<unsigned> index = parseIndex("of", text, types.size(), "results");
    if (!index)
      return makeError(index.error());
    if (!isDifferentiable(types[*index]))
      return noFloats("of", "result " + Twine(*index), types[*index]);
    results.push_back(*index);
  }
  if (of.empty())
    for (auto [index, type] : llvm::enumerate(types))
      if (isDifferentiable(type))
        results.push_back(index);
  auto scalar = results.size() == 1
                    ? dyn_cast<RankedTensorType>(types[results[0]])
                    : RankedTensorType();
  if (isGrad && (!scalar || scalar.getRank() != 0 ||
                 !isa<FloatType>(scalar.getElementType())))
    return makeError(ErrorCode::Usage,
                     "grad: got " +
                         (scalar
                              ? "result " + std::to_string(results[0]) +
                                    " of type " + typeText(scalar)
                              : std::to_string(results.size()) + " results") +
                         ", expected one that is a scalar of floats");
  return results;
}

static bool isTaken(func::FuncOp function, StringRef name) {
  auto isName = [&](StringAttr given) { return given && given == name; };
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (isName(function.getArgAttrOfType<StringAttr>(i, nameAttrName)))
      return true;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (isName(function.getResultAttrOfType<StringAttr>(i, nameAttrName)))
      return true;
  return false;
}

DictionaryAttr derivedAttributes(func::FuncOp function, StringRef prefix,
                                 StringRef name, DictionaryAttr attributes) {
  NamedAttrList list;
  Builder builder(function.getContext());
  if (Attribute dims = attributes ? attributes.get(dimsAttrName) : Attribute())
    list.set(dimsAttrName, dims);
  if (!name.empty()) {
    std::string base = (prefix + name).str(), text = base;
    for (unsigned i = 2; isTaken(function, text); ++i)
      text = base + "_" + std::to_string(i);
    list.set(nameAttrName, builder.getStringAttr(text));
  }
  return list.getDictionary(function.getContext());
}

} // namespace zenith::autodiff
