// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes signatures, then types of values; conditions on sizes are stated
// before, since types that changed would hide them.

#include "frontends/models/SpecializeDims.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/GivenDims.h"
#include "ir/GraphDialect.h"
#include "ir/LocationText.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/dims/DimSubstitution.h"
#include "ir/program/StaticTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith;
using graph::DimExpr;

using Sizes = std::map<std::string, int64_t>;

static DimExpr specialized(const DimExpr &expr, const Sizes &sizes) {
  return graph::substituted(expr, [&](const graph::DimAtom &atom) {
    auto given = sizes.find(atom.name);
    return atom.kind == graph::DimAtom::Kind::Symbol && given != sizes.end()
               ? std::optional(DimExpr(given->second))
               : std::nullopt;
  });
}

/// The texts of graph.dims, and `shape` with the sizes that they become.
static ArrayAttr specializeTexts(ArrayAttr texts, const Sizes &sizes,
                                 MutableArrayRef<int64_t> shape) {
  SmallVector<Attribute> changed;
  for (auto [size, attribute] : llvm::zip(shape, texts)) {
    auto text = cast<StringAttr>(attribute);
    auto expr = DimExpr::parse(text.str());
    if (text.empty() || !expr) {
      changed.push_back(text);
      continue;
    }
    DimExpr own = specialized(*expr, sizes);
    if (std::optional<int64_t> known = own.constant();
        known && ShapedType::isDynamic(size))
      size = *known;
    changed.push_back(StringAttr::get(texts.getContext(), own.str()));
  }
  return ArrayAttr::get(texts.getContext(), changed);
}

static llvm::Error negative(func::FuncOp function, unsigned argument,
                            int64_t size) {
  return makeError(ErrorCode::Invalid,
                   "--dim: dimensions of these sizes make one of argument " +
                       std::to_string(argument) + " " + std::to_string(size),
                   graph::placeOf(function.getLoc()));
}

static llvm::Error specializeArguments(func::FuncOp function,
                                       const Sizes &sizes) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    unsigned index = argument.getArgNumber();
    SmallVector<int64_t> shape(type.getShape());
    auto texts =
        function.getArgAttrOfType<ArrayAttr>(index, graph::dimsAttrName);
    if (texts)
      texts = specializeTexts(texts, sizes, shape);
    for (auto [dim, size] : llvm::enumerate(shape)) {
      auto given = sizes.find(graph::unnamedDim(index, int64_t(dim)));
      bool isNamed = texts && !cast<StringAttr>(texts[dim]).empty();
      if (ShapedType::isDynamic(size) && !isNamed && given != sizes.end())
        size = given->second;
      if (size < 0 && !ShapedType::isDynamic(size))
        return negative(function, index, size);
    }
    if (texts)
      function.setArgAttr(index, graph::dimsAttrName, texts);
    argument.setType(type.clone(shape));
  }
  return llvm::Error::success();
}

/// What a result says of its dimensions must be what its type does.
static void specializeResults(func::FuncOp function, const Sizes &sizes) {
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto texts = function.getResultAttrOfType<ArrayAttr>(unsigned(index),
                                                         graph::dimsAttrName);
    if (!texts)
      continue;
    SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
    SmallVector<Attribute> changed(
        specializeTexts(texts, sizes, shape).getValue());
    for (auto [text, size] :
         llvm::zip(changed, cast<RankedTensorType>(type).getShape()))
      if (!ShapedType::isDynamic(size))
        text = StringAttr::get(type.getContext(), std::to_string(size));
    function.setResultAttr(unsigned(index), graph::dimsAttrName,
                           ArrayAttr::get(type.getContext(), changed));
  }
}

static llvm::Error checkSizes(ModuleOp module, const Sizes &sizes) {
  std::set<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    names.merge(graph::dimNamesOf(function));
    graph::DimBoundsMap stated = graph::dimBoundsOf(function);
    for (const auto &[name, size] : sizes)
      if (auto bounds = stated.find(name);
          bounds != stated.end() && !graph::admits(bounds->second, size))
        return makeError(ErrorCode::Invalid,
                         "--dim: '" + name + "' is " + std::to_string(size) +
                             ", the program states " +
                             graph::textOf(bounds->second),
                         graph::placeOf(function.getLoc()));
  }
  for (const auto &[name, size] : sizes)
    if (llvm::Error error = models::checkDimName(name, names))
      return error;
  return llvm::Error::success();
}

static llvm::Error specialize(ModuleOp module, const Sizes &sizes) {
  PassManager before(module.getContext());
  before.addPass(createInlineCallsPass({/*keepOperators=*/true}));
  before.addPass(createSymbolDCEPass());
  before.addNestedPass<func::FuncOp>(createInsertSizeChecksPass());
  if (failed(before.run(module)))
    return reportedError(ErrorCode::Unsupported,
                         "calls that cannot be inlined");
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (llvm::Error error = specializeArguments(function, sizes))
      return error;
    graph::giveStaticTypes(function);
    specializeResults(function, sizes);
    graph::keepNamedBounds(function);
  }
  if (failed(verify(module)))
    return reportedError(ErrorCode::Invalid,
                         "the sizes of --dim contradict the program");
  // Shape arithmetic of sizes that are known goes.
  PassManager after(module.getContext());
  after.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  after.addPass(createCanonicalizerPass());
  after.addNestedPass<func::FuncOp>(createMergeEqualOpsPass());
  if (failed(after.run(module)))
    return reportedError(ErrorCode::Internal, "sizes cannot be simplified");
  return llvm::Error::success();
}

llvm::Error zenith::models::specializeDims(ModuleOp module, const Sizes &sizes,
                                           Diagnostics &diagnostics,
                                           const std::string &file) {
  if (llvm::Error error = checkSizes(module, sizes))
    return error;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    return diagnostics.handle(diagnostic, file);
                                  });
  return specialize(module, sizes);
}
