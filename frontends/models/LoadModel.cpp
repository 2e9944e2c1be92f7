// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ONNX and StableHLO through their frontends and GraphIR through MLIR's
// parsers.

#include "frontends/models/LoadModel.h"
#include "ir/SearchOps.h"

#include "frontends/models/BindInputs.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/GivenDims.h"
#include "frontends/models/LoadStableHLO.h"
#include "frontends/models/SpecializeDims.h"
#include "frontends/models/TextGuards.h"
#include "frontends/onnx/ImportONNX.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "frontends/tensors/PbFile.h"
#include "frontends/tensors/TensorIO.h"
#include "ir/GraphDialect.h"
#include "ir/dims/DimExpr.h"
#include "ir/program/ProgramChecks.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

ModelFormat zenith::models::formatOf(StringRef path) {
  return path.ends_with(".onnx") ? ModelFormat::ONNX : ModelFormat::MLIR;
}

// Protobuf begins with the tag of a small field, which no text does; MLIR
// bytecode has a magic number.
static ModelFormat formatOfBytes(StringRef bytes) {
  bool isText = bytes.starts_with("ML\xefR") || bytes.empty() ||
                llvm::isPrint(bytes.front()) || llvm::isSpace(bytes.front());
  return isText ? ModelFormat::MLIR : ModelFormat::ONNX;
}

std::unique_ptr<MLIRContext> zenith::models::makeContext() {
  DialectRegistry registry;
  registry
      .insert<graph::GraphDialect, search::SearchDialect, func::FuncDialect>();
  stablehlo::registerStableHLODialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  // Dumps of later phases load what they use when they are parsed.
  DialectRegistry later;
  pipeline::registerPhaseDialects(later);
  context->appendDialectRegistry(later);
  // Messages name the op and its location; its whole text would bury them.
  context->printOpOnDiagnostic(false);
  return context;
}

/// The bytes of a model that is no file, called by the buffer's name; null
/// where it is one.
using Input = std::unique_ptr<llvm::MemoryBuffer>;

static std::string nameOf(const Input &input, const std::string &path) {
  return input ? input->getBufferIdentifier().str() : path;
}

static llvm::Expected<onnx::Model> readONNX(const std::string &path,
                                            const Input &input,
                                            const std::string &folder) {
  auto model =
      input
          ? onnx::parseModel(
                files::ByteSource::fromMemory(input->getBuffer().str()), folder)
          : onnx::loadModel(path);
  return model ? llvm::Expected<onnx::Model>(std::move(*model))
               : makeError(model.error().ofFile(nameOf(input, path)));
}

// Inputs of callers: inputs without an initialiser.
static std::vector<const onnx::ValueInfo *>
callerInputs(const onnx::Model &model) {
  std::set<std::string> initialised;
  for (const onnx::Tensor &tensor : model.graph.initializers)
    initialised.insert(tensor.name);
  std::vector<const onnx::ValueInfo *> inputs;
  for (const onnx::ValueInfo &input : model.graph.inputs)
    if (!initialised.count(input.name))
      inputs.push_back(&input);
  return inputs;
}

static llvm::Error bindONNX(const std::vector<KeyedFile> &files,
                            llvm::ArrayRef<const onnx::ValueInfo *> inputs,
                            MLIRContext *context,
                            onnx::ImportOptions &options) {
  std::vector<std::string> names;
  for (const onnx::ValueInfo *input : inputs)
    names.push_back(input->name);
  for (const KeyedFile &file : files) {
    llvm::Expected<unsigned> index = inputIndex(file.key, names, "--bind");
    if (!index)
      return index.takeError();
    llvm::Expected<Tensor> value = readKeyedFile(
        file, tensors::elementTypeOf(inputs[*index]->type.element, context),
        context);
    if (!value)
      return value.takeError();
    llvm::Expected<onnx::Tensor> proto =
        tensors::toTensorProto(*value, names[*index]);
    if (!proto)
      return proto.takeError();
    options.bindings[names[*index]] = std::move(*proto);
  }
  return llvm::Error::success();
}

// Inputs that become constants have none.
static llvm::Error checkDims(llvm::ArrayRef<const onnx::ValueInfo *> inputs,
                             const onnx::ImportOptions &options) {
  std::set<std::string> names;
  size_t number = 0;
  for (const onnx::ValueInfo *input : inputs) {
    if (options.bindings.count(input->name))
      continue;
    for (auto [index, dim] : llvm::enumerate(input->type.dims)) {
      if (dim.symbol.empty() && !dim.value)
        names.insert(graph::unnamedDim(unsigned(number), int64_t(index)));
      if (dim.symbol.empty())
        continue;
      names.insert(dim.symbol);
      if (std::optional<graph::DimExpr> expr =
              graph::DimExpr::parse(dim.symbol))
        expr->forEachSymbol(
            [&](const std::string &name) { names.insert(name); });
    }
    ++number;
  }
  for (const auto &[name, size] : options.dims)
    if (llvm::Error error = checkDimName(name, names))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<LoadedModel> loadONNX(const std::string &path,
                                            const Input &input,
                                            MLIRContext *context,
                                            const LoadOptions &options) {
  llvm::Expected<onnx::Model> model = readONNX(path, input, options.baseDir);
  if (!model)
    return model.takeError();
  onnx::ImportOptions import;
  import.dims = options.dims;
  import.folder = options.irFolder;
  import.allParameters = options.allParameters;
  std::vector<const onnx::ValueInfo *> inputs = callerInputs(*model);
  if (llvm::Error error = bindONNX(options.bindings, inputs, context, import))
    return std::move(error);
  if (llvm::Error error = checkDims(inputs, import))
    return std::move(error);
  std::string folder =
      input ? options.baseDir : llvm::sys::path::parent_path(path).str();
  if (import.folder.empty())
    import.folder = folder.empty() ? "." : folder;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    auto remark = remarks::read(diagnostic);
    if (remark && options.remark)
      options.remark(*remark, diagnostic.getLocation());
    return success(remark.has_value());
  });
  auto module = onnx::importONNX(*model, context, import);
  if (!module)
    return makeError(module.error().ofFile(nameOf(input, path)));
  LoadedModel loaded{std::move(*module), import.folder, {}, true, {}};
  for (const onnx::ValueInfo *input : inputs)
    loaded.inputNames.push_back(input->name);
  return loaded;
}

/// The sizes of dimensions, where they go into the types.
static llvm::Error applyDims(LoadedModel &loaded, const LoadOptions &options,
                             Diagnostics &diagnostics,
                             const std::string &name) {
  loaded.dimsApplied = options.dimsInTypes && !options.dims.empty();
  return loaded.dimsApplied
             ? specializeDims(*loaded.module, options.dims, diagnostics, name)
             : llvm::Error::success();
}

static llvm::Expected<LoadedModel>
loadHLO(const std::string &name, const std::string &folder,
        llvm::StringRef bytes, MLIRContext *context, const LoadOptions &options,
        Diagnostics &diagnostics) {
  llvm::Expected<stablehlo::ImportedProgram> program =
      loadStableHLO(name, bytes, context, options.stablehlo, diagnostics);
  if (!program)
    return program.takeError();
  LoadedModel loaded{std::move(program->module),
                     folder,
                     {},
                     false,
                     std::move(program->functions)};
  if (llvm::Error error = applyDims(loaded, options, diagnostics, name))
    return std::move(error);
  // A module may have no function to run and still be translated.
  if (options.bindings.empty() &&
      (loaded.functions.empty() || options.allEntries))
    return loaded;
  if (llvm::Error error = bindArguments(*loaded.module, options.entry,
                                        options.bindings, loaded.inputNames))
    return std::move(error);
  return loaded;
}

static llvm::Expected<LoadedModel> loadMLIR(const std::string &path,
                                            Input input, MLIRContext *context,
                                            const LoadOptions &options,
                                            Diagnostics &diagnostics) {
  std::string name = nameOf(input, path);
  bool inFile = !input;
  if (inFile) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return makeError(ErrorCode::Invalid,
                       "cannot open: " + buffer.getError().message(), path);
    input = std::move(*buffer);
  }
  std::string folder =
      inFile ? llvm::sys::path::parent_path(path).str() : options.baseDir;
  if (folder.empty())
    folder = ".";
  if (isStableHLO(input->getBuffer()))
    return loadHLO(name, folder, input->getBuffer(), context, options,
                   diagnostics);
  if (llvm::Error error = checkText(name, input->getBuffer()))
    return std::move(error);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  // Bytecode without debug information has no locations.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    return diagnostics.handle(diagnostic, name);
  });
  ParserConfig config(context);
  // What a reproducer says is for zenith-opt.
  config.attachResourceParser(
      "mlir_reproducer", [](AsmParsedResourceEntry &) { return success(); });
  LoadedModel loaded{
      parseSourceFile<ModuleOp>(sources, config), folder, {}, false, {}};
  if (!loaded.module)
    return reportedError(ErrorCode::Invalid, "is no valid GraphIR", name);
  for (auto check : {graph::checkOps, graph::checkSignatures})
    if (auto error = check(*loaded.module))
      return makeError(std::move(*error));
  if (llvm::Error error = applyDims(loaded, options, diagnostics, name))
    return std::move(error);
  if (options.bindings.empty() && options.allEntries)
    return loaded;
  if (llvm::Error error = bindArguments(*loaded.module, options.entry,
                                        options.bindings, loaded.inputNames))
    return std::move(error);
  return loaded;
}

/// Gives functions the bounds of the dimensions that they name. Bounds of no
/// dimension are a mistake, unless its size is known.
static llvm::Error stateBounds(ModuleOp module, const LoadOptions &options) {
  std::set<std::string> all;
  for (auto function : module.getOps<func::FuncOp>()) {
    std::set<std::string> names = graph::dimNamesOf(function);
    graph::DimBoundsMap own;
    for (const auto &[name, bounds] : options.dimBounds)
      if (names.count(name))
        own[name] = bounds;
    graph::addDimBounds(function, own);
    all.merge(names);
  }
  for (const auto &[name, bounds] : options.dimBounds)
    if (!options.dims.count(name))
      if (llvm::Error error = checkDimName(name, all))
        return error;
  return llvm::Error::success();
}

static llvm::Expected<LoadedModel> loadInput(const std::string &path,
                                             Input input, MLIRContext *context,
                                             const LoadOptions &options,
                                             Diagnostics &diagnostics) {
  ModelFormat format =
      input ? formatOfBytes(input->getBuffer()) : formatOf(path);
  bool isONNX = !options.format ? format == ModelFormat::ONNX
                                : *options.format == FileFormat::ONNX;
  auto loaded =
      isONNX ? loadONNX(path, input, context, options)
             : loadMLIR(path, std::move(input), context, options, diagnostics);
  if (loaded)
    if (llvm::Error error = stateBounds(*loaded->module, options))
      return std::move(error);
  return loaded;
}

llvm::Expected<LoadedModel>
zenith::models::loadModel(const std::string &path, MLIRContext *context,
                          const LoadOptions &options,
                          Diagnostics &diagnostics) {
  Input input;
  if (path == "-") {
    auto buffer = llvm::MemoryBuffer::getSTDIN();
    if (!buffer)
      return makeError(ErrorCode::Invalid, "cannot read standard input: " +
                                               buffer.getError().message());
    input = std::move(*buffer);
  }
  return loadInput(path, std::move(input), context, options, diagnostics);
}

llvm::Expected<LoadedModel>
zenith::models::loadModelFrom(StringRef bytes, MLIRContext *context,
                              const LoadOptions &options,
                              Diagnostics &diagnostics) {
  return loadInput("", llvm::MemoryBuffer::getMemBufferCopy(bytes, "<memory>"),
                   context, options, diagnostics);
}
