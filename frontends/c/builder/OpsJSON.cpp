// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of all ops of GraphIR as JSON: what callers of the builder may give
// each.

#include "frontends/c/builder/BuilderOps.h"
#include "frontends/models/LoadModel.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;
namespace json = llvm::json;

static unsigned regionsOf(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases("graph.if", "graph.while", 2)
      .Cases("graph.case", "graph.reduce_with", "graph.sort_with", 1)
      .Cases("graph.scatter_with", "graph.reduce_window_with", 1)
      .Default(0);
}

static json::Object opJSON(OperationName op) {
  json::Array attributes, operands;
  for (const auto &[name, kind] : attributeKinds(op))
    attributes.push_back(json::Object{{"name", name}, {"kind", kind}});
  for (size_t i = 0, e = operandGroups(op); i < e; ++i)
    operands.push_back(json::Object{{"name", "group" + std::to_string(i)},
                                    {"variadic", true}});
  return json::Object{{"operands", std::move(operands)},
                      {"attributes", std::move(attributes)},
                      {"results", json::Array()},
                      {"regions", regionsOf(op.getStringRef())},
                      {"inferred", canInfer(op)}};
}

std::string zenith::c::opsJSON() {
  std::unique_ptr<MLIRContext> context = models::makeContext();
  json::Object ops;
  for (const std::string &name : opNames(context.get()))
    ops["graph." + name] = opJSON(*findOp(name.c_str(), context.get()));
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(ops));
  return text;
}
