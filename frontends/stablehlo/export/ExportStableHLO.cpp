// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and parameters; ops are written by the rules of their family.

#include "frontends/stablehlo/ExportStableHLO.h"

#include "frontends/files/MappedBytes.h"
#include "frontends/stablehlo/bytecode/ElementBytes.h"
#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/program/ParameterFiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// The formulas of composites replace them.
static void decompose(ModuleOp module) {
  SmallVector<Operation *> composites;
  module.walk([&](Operation *op) {
    if (graph::familyOf(op) == graph::Family::Composite)
      composites.push_back(op);
  });
  for (Operation *op : composites) {
    OpBuilder builder(op);
    Value value = graph::buildFormula(builder, op);
    if (!value)
      continue;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
  // Ops of a formula that static shapes make unnecessary.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (op->use_empty() && isMemoryEffectFree(op) &&
        !op->hasTrait<OpTrait::IsTerminator>() && !isa<ModuleOp>(op))
      op->erase();
  });
}

/// `args[0].shape = (n, 4), args[1].shape = (n, ?)`, as jax.export writes it
/// and the importer reads it.
static std::string signatureText(func::FuncOp function,
                                 graph::DimAnalysis &dims) {
  std::string text;
  for (BlockArgument argument : function.getArguments()) {
    text += (text.empty() ? "args[" : ", args[") +
            std::to_string(argument.getArgNumber()) + "].shape = (";
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(argument))) {
      std::string name = size.str();
      bool isKnown =
          name.find_first_of(",(){}") == std::string::npos &&
          name != graph::unnamedDim(argument.getArgNumber(), int64_t(d));
      text += (d ? ", " : "") + (isKnown ? name : "?");
    }
    text += ")";
  }
  return text;
}

/// Signatures of StableHLO don't name dimensions: what names require of the
/// arguments becomes assertions, whether an op reads the arguments or not.
static void stateArgumentSizes(func::FuncOp function) {
  struct Claim {
    BlockArgument argument;
    int64_t dim;
    graph::DimExpr size;
  };
  graph::DimAnalysis dims;
  graph::DimScalars::Sources sources;
  SmallVector<Claim> claims;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      graph::DimExpr size = dims.dimOf(argument, d);
      auto name = size.asSymbol();
      if (!name || !sources.dims.try_emplace(*name, argument, d).second)
        claims.push_back({argument, d, size});
    }
  }
  if (claims.empty())
    return;
  Operation *first = &function.getBody().front().front();
  graph::DimScalars scalars(first, sources);
  OpBuilder builder(first);
  std::string signature = " in " + signatureText(function, dims);
  for (const Claim &claim : claims) {
    Value wanted = scalars.materialize(claim.size);
    if (!wanted)
      continue;
    Location loc = claim.argument.getLoc();
    Value size =
        builder.create<graph::DimOp>(loc, Value(claim.argument), claim.dim);
    Value same = builder.create<graph::CompareOp>(
        loc, graph::CompareDirection::eq, size, wanted);
    std::string text = "argument " +
                       std::to_string(claim.argument.getArgNumber()) +
                       ": size {0} of dimension " + std::to_string(claim.dim) +
                       " differs from {1}" + std::exchange(signature, "");
    builder.create<graph::AssertOp>(loc, same, text, ValueRange{size, wanted});
  }
}

namespace {
class ModuleExport {
public:
  ModuleExport(ModuleOp source, const ExportOptions &options)
      : source(source), options(options), out(source.getContext()) {
    out.paramValue = [this](Operation *op) {
      return paramValue(cast<graph::GetParamOp>(op));
    };
  }
  Result<OwningOpRef<ModuleOp>> run();

private:
  bool function(func::FuncOp from, ModuleOp module);
  ElementsAttr paramValue(graph::GetParamOp op);
  ElementsAttr externalValue(graph::ParamOp param,
                             graph::ExternalAttr external);

  ModuleOp source;
  const ExportOptions &options;
  HLOExport out;
};
} // namespace

ElementsAttr ModuleExport::externalValue(graph::ParamOp param,
                                         graph::ExternalAttr external) {
  SmallString<128> path(external.getFile());
  if (!llvm::sys::path::is_absolute(path)) {
    path = options.folder;
    llvm::sys::path::append(path, external.getFile());
  }
  auto file = files::ByteSource::open(std::string(path));
  if (!file) {
    out.error = file.error();
    return {};
  }
  std::string_view bytes = (*file)->bytes();
  uint64_t offset = external.getOffset(), length = external.getLength();
  if (offset > bytes.size() || length > bytes.size() - offset) {
    out.error = zenith::invalid("file '" + std::string(path) +
                                "' ends before a parameter does");
    return {};
  }
  llvm::StringRef part(bytes.data() + offset, length);
  if (auto error = graph::checkFile(
          param.getSymName(), graph::fileRecordOf(param), int64_t(bytes.size()),
          part, path, options.verifyFiles)) {
    out.error = *error;
    return {};
  }
  ElementsAttr value =
      elementsFromBytes(cast<RankedTensorType>(param.getType()), part);
  if (!value)
    out.error = zenith::invalid("a parameter of other bytes than its type");
  return value;
}

ElementsAttr ModuleExport::paramValue(graph::GetParamOp op) {
  auto param = SymbolTable::lookupNearestSymbolFrom<graph::ParamOp>(
      op, op.getParamAttr());
  Attribute value = param ? param.getSourceAttr() : Attribute();
  if (auto external = dyn_cast_or_null<graph::ExternalAttr>(value))
    return externalValue(param, external);
  if (!isa_and_nonnull<ElementsAttr>(value)) {
    out.unsupported(op, "parameter @" + op.getParam() + " has no value");
    return {};
  }
  return cast<ElementsAttr>(value);
}

bool ModuleExport::function(func::FuncOp from, ModuleOp module) {
  FunctionType type = from.getFunctionType();
  for (TypeRange types :
       {TypeRange(type.getInputs()), TypeRange(type.getResults())})
    for (Type part : types) {
      if (!isa<RankedTensorType>(part))
        return out.unsupported(from, "its signature has other than tensors");
    }
  if (from.isExternal() || !llvm::hasSingleElement(from.getBody()))
    return out.unsupported(from, "it has no body of one block");
  out.builder.setInsertionPointToEnd(module.getBody());
  auto to =
      out.builder.create<func::FuncOp>(from.getLoc(), from.getSymName(), type);
  to.setVisibility(from.getVisibility());
  exportShardings(from, to);
  to.getBody().push_back(new Block());
  return out.block(from.getBody().front(), to.getBody().front(), "func.return");
}

Result<OwningOpRef<ModuleOp>> ModuleExport::run() {
  OwningOpRef<ModuleOp> clone = source.clone();
  source = *clone;
  for (auto function : source.getOps<func::FuncOp>())
    // Callers of private functions have checked their own arguments.
    if (!function.isPrivate() && !function.isExternal())
      stateArgumentSizes(function);
  decompose(source);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(source.getLoc(), source.getSymName());
  for (Operation &op : *source.getBody()) {
    if (isa<graph::ParamOp>(op))
      continue;
    auto from = dyn_cast<func::FuncOp>(op);
    out.builder.setInsertionPointToEnd(module->getBody());
    bool written = from                     ? function(from, *module)
                   : isa<graph::MeshOp>(op) ? exportMesh(out, &op)
                                            : out.unsupported(&op);
    if (!written)
      return *out.error;
  }
  return module;
}

Result<OwningOpRef<ModuleOp>>
zenith::stablehlo::exportStableHLO(ModuleOp module,
                                   const ExportOptions &options) {
  return ModuleExport(module, options).run();
}
