// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model: signature, initializers, results. Nodes are imported in
// ImportNodes.cpp, nodes with subgraphs in ImportControl.cpp.
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/ResultAttributes.h"
#include "frontends/onnx/import/ModelReading.h"

#include "ir/attributes/DimBoundsAttr.h"
#include "ir/remarks/Remark.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::SmallVector;

/// Constants of at least this many bytes are parameters.
static constexpr uint64_t parameterBytes = 1024;
/// Vectors of bytes are zero points, mostly zero: int8 matmuls need to know
/// their values. Longer vectors are parameters too.
static constexpr uint64_t zeroPointBytes = 4096;

//===----------------------------------------------------------------------===//
// Constants and parameters
//===----------------------------------------------------------------------===//

void ModelReading::createParameter(const Tensor &tensor, RankedTensorType type,
                                   const std::string &name) {
  namespace fs = std::filesystem;
  Attribute source;
  // ONNX packs elements below a byte and GraphIR does not, so these cannot be
  // mapped.
  if (tensor.data.inFile() && dataTypeBits(tensor.type) >= 8) {
    fs::path base = options.folder.empty() ? fs::path(model.path).parent_path()
                                           : fs::path(options.folder);
    std::error_code ignored;
    fs::path relative = fs::proximate(tensor.data.source->path(),
                                      base.empty() ? "." : base, ignored);
    source = graph::ExternalAttr::get(context, relative.string(),
                                      int64_t(tensor.data.offset),
                                      int64_t(tensor.data.length));
  } else {
    source = denseElements(tensor, type);
  }
  OpBuilder builder(context);
  if (lastParameter)
    builder.setInsertionPointAfter(lastParameter);
  else
    builder.setInsertionPointToStart(module->getBody());
  lastParameter = builder.create<graph::ParamOp>(
      NameLoc::get(builder.getStringAttr(name)), name, type, source);
}

Value ModelReading::readParameter(ImportedValue &value) {
  return b.emit<graph::GetParamOp>(
      value.type, FlatSymbolRefAttr::get(context, value.parameter));
}

/// Strings as positions in the list of different ones.
ImportedValue ModelReading::wordsValue(const Tensor &tensor) {
  std::vector<std::string> words;
  std::unordered_map<std::string, int64_t> known;
  std::vector<int64_t> positions;
  for (const std::string &word : tensor.strings) {
    auto [entry, isNew] = known.try_emplace(word, words.size());
    if (isNew)
      words.push_back(word);
    positions.push_back(entry->second);
  }
  std::string bytes(reinterpret_cast<const char *>(positions.data()),
                    positions.size() * sizeof(int64_t));
  const Tensor &kept = keep({tensor.name,
                             DataType::Int64,
                             tensor.dims,
                             files::ByteRange::fromMemory(std::move(bytes)),
                             {}});
  ImportedValue value;
  value.type = RankedTensorType::get(tensor.dims, b.builder.getI64Type());
  value.tensor = &kept;
  value.emulated = DataType::String;
  value.words =
      std::make_shared<const std::vector<std::string>>(std::move(words));
  return value;
}

ImportedValue ModelReading::constantValue(const Tensor &tensor,
                                          const std::string &name) {
  if (tensor.type == DataType::String)
    return wordsValue(tensor);
  ImportedValue value;
  Type element = elementTypeOf(tensor.type, context);
  if (!element) {
    element = storageTypeOf(tensor.type, context);
    value.emulated = tensor.type;
  }
  if (!element) {
    value.missing = fmt::format("constants of type {} are not supported",
                                dataTypeName(tensor.type));
    return value;
  }
  value.type = RankedTensorType::get(tensor.dims, element);
  value.tensor = &tensor;
  bool isZeroPoint = tensor.dims.size() == 1 && element.isInteger(8) &&
                     tensor.data.length <= zeroPointBytes;
  // Matrices of bytes are weights, which are packed however small they are.
  bool isWeight =
      tensor.dims.size() > 1 && element.isInteger(8) && tensor.data.length > 0;
  if ((tensor.data.length < parameterBytes && !isWeight) || isZeroPoint)
    return value;
  return asParameter(std::move(value), name);
}

ImportedValue ModelReading::asParameter(ImportedValue value,
                                        const std::string &name) {
  const Tensor &tensor = *value.tensor;
  std::string &known = parameters[&tensor];
  if (!known.empty()) {
    value.parameter = known;
    return value;
  }
  std::string unique = name.empty() ? "constant" : name;
  for (int suffix = 1; !symbols.insert(unique).second; ++suffix)
    unique = fmt::format("{}_{}", name, suffix);
  createParameter(tensor, value.type, unique);
  value.parameter = known = unique;
  return value;
}

ImportedValue ModelReading::initializerValue(const Tensor &tensor) {
  ImportedValue value = constantValue(tensor, tensor.name);
  bool isTrained = value.tensor && value.parameter.empty() &&
                   (value.type.getRank() > 0 || options.allParameters) &&
                   value.type.getNumElements() > 0 &&
                   isa<FloatType>(value.type.getElementType());
  return isTrained ? asParameter(std::move(value), tensor.name) : value;
}

/// A broadcast that repeats the one element of a parameter: its dimension of
/// size 1 becomes a larger one, or one whose size is not known. Of a scalar,
/// which operators with scalar inputs read a vector as, all dimensions count.
static bool repeatsElement(Operation *user) {
  if (auto reshape = dyn_cast<graph::ReshapeOp>(user))
    return reshape.getType().getRank() == 0 &&
           llvm::all_of(reshape->getUsers(), repeatsElement);
  auto broadcast = dyn_cast<graph::BroadcastOp>(user);
  if (!broadcast)
    return false;
  RankedTensorType type = broadcast.getType();
  if (broadcast.getMapping().empty())
    return !type.hasStaticShape() || type.getNumElements() != 1;
  return llvm::any_of(broadcast.getMapping(),
                      [&](int64_t d) { return type.getDimSize(d) != 1; });
}

/// Exporters write scalars of formulas (scales, epsilons) as rank 1, too. What
/// tells them from a bias of one channel is that each use repeats the element:
/// such an initializer is a constant, which composites are recognised by.
void ModelReading::keepScalarsConstant() {
  llvm::DenseMap<StringAttr, SmallVector<graph::GetParamOp>> reads;
  module->walk([&](graph::GetParamOp get) {
    reads[get.getParamAttr().getAttr()].push_back(get);
  });
  for (auto param : module->getOps<graph::ParamOp>()) {
    auto value = dyn_cast_or_null<DenseElementsAttr>(param.getSourceAttr());
    if (!value || value.getNumElements() != 1 ||
        !isa<FloatType>(value.getElementType()))
      continue;
    SmallVector<graph::GetParamOp> gets = reads.lookup(param.getSymNameAttr());
    if (!llvm::all_of(gets, [](graph::GetParamOp get) {
          return llvm::all_of(get->getUsers(), repeatsElement);
        }))
      continue;
    for (graph::GetParamOp get : gets) {
      OpBuilder builder(get);
      get.replaceAllUsesWith(
          builder.create<graph::ConstantOp>(get.getLoc(), value).getResult());
      get.erase();
    }
  }
}

/// Constants that rules read while importing, and dead ones: other values for
/// them would change nothing.
void ModelReading::eraseUnusedParameters() {
  llvm::StringSet<> used;
  module->walk([&](graph::GetParamOp get) { used.insert(get.getParam()); });
  for (auto param :
       llvm::make_early_inc_range(module->getOps<graph::ParamOp>()))
    if (!used.contains(param.getSymName()))
      param.erase();
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static const char *kindName(ValueType::Kind kind) {
  switch (kind) {
  case ValueType::SparseTensorKind:
    return "sparse tensor";
  case ValueType::SequenceKind:
    return "sequence";
  case ValueType::MapKind:
    return "map";
  case ValueType::OptionalKind:
    return "optional";
  default:
    return "unknown";
  }
}

/// Type of an argument and the text of its dimensions, with the caller's sizes
/// substituted.
Result<RankedTensorType>
ModelReading::argumentType(const ValueInfo &input, unsigned argument,
                           SmallVector<Attribute> &dims) {
  if (input.type.kind != ValueType::TensorKind)
    return unsupported(
        fmt::format("inputs of kind {}", kindName(input.type.kind)));
  if (!input.type.hasShape)
    return unsupported("inputs without a shape");
  auto element = elementTypeOf(input.type.element, context);
  if (!element)
    element = storageTypeOf(input.type.element, context);
  if (!element)
    return unsupported(
        fmt::format("inputs of type {}", dataTypeName(input.type.element)));
  SmallVector<int64_t> shape;
  for (const Dim &dim : input.type.dims) {
    std::optional<DimExpr> expr =
        dim.symbol.empty() ? std::nullopt : DimExpr::parse(dim.symbol);
    std::optional<int64_t> size = dim.value;
    if (!size && expr)
      size = expr->evaluate(
          [&](const std::string &name) -> std::optional<int64_t> {
            auto given = options.dims.find(name);
            return given == options.dims.end() ? std::nullopt
                                               : std::optional(given->second);
          });
    auto name = dim.symbol.empty() ? graph::unnamedDim(unsigned(argument),
                                                       int64_t(dims.size()))
                                   : dim.symbol;
    if (auto given = options.dims.find(name);
        !size && given != options.dims.end())
      size = given->second;
    if (size && *size < 0)
      return invalid(
          fmt::format("dimension '{}' has size {}", dim.symbol, *size));
    shape.push_back(size.value_or(ShapedType::kDynamic));
    dims.push_back(
        StringAttr::get(context, size ? std::to_string(*size) : dim.symbol));
  }
  return RankedTensorType::get(shape, element);
}

Status ModelReading::createFunction(Scope &scope) {
  std::unordered_map<std::string, const Tensor *> initializers;
  for (const Tensor &tensor : model.graph.initializers)
    initializers[tensor.name] = &tensor;
  std::vector<const ValueInfo *> arguments;
  std::vector<SmallVector<Attribute>> dims;
  SmallVector<Type> types;
  std::set<std::string> bound;
  for (const ValueInfo &input : model.graph.inputs) {
    if (auto given = options.bindings.find(input.name);
        given != options.bindings.end()) {
      bound.insert(input.name);
      bind(scope, input.name, constantValue(given->second, input.name));
      continue;
    }
    if (initializers.count(input.name))
      continue;
    dims.emplace_back();
    auto type = argumentType(input, types.size(), dims.back());
    if (!type)
      return std::move(type.error())
          .in(fmt::format("input '{}'", input.name))
          .in("graph");
    arguments.push_back(&input);
    types.push_back(*type);
  }
  for (const auto &[name, tensor] : options.bindings)
    if (!bound.count(name))
      return invalid(fmt::format("there is no input '{}' to bind", name));
  for (const auto &argument : dims)
    for (Attribute text : argument)
      dimNames.add(cast<StringAttr>(text).str());
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  function = builder.create<func::FuncOp>(
      UnknownLoc::get(context), "main", FunctionType::get(context, types, {}));
  Block *block = function.addEntryBlock();
  b.builder.setInsertionPointToEnd(block);
  for (auto [index, input] : llvm::enumerate(arguments)) {
    BlockArgument argument = block->getArgument(index);
    argument.setLoc(NameLoc::get(builder.getStringAttr(input->name)));
    function.setArgAttr(index, graph::nameAttrName,
                        builder.getStringAttr(input->name));
    for (Attribute &text : dims[index])
      text =
          builder.getStringAttr(dimNames.textOf(cast<StringAttr>(text).str()));
    function.setArgAttr(index, graph::dimsAttrName,
                        builder.getArrayAttr(dims[index]));
    ImportedValue value;
    value.type = cast<RankedTensorType>(argument.getType());
    value.data = argument;
    if (!elementTypeOf(input->type.element, context))
      value.emulated = input->type.element;
    bind(scope, input->name, std::move(value));
  }
  for (BlockArgument argument : block->getArguments())
    b.bindDims(argument);
  return noError();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// True for expressions over the names of arguments' dimensions.
static bool isPublic(const DimExpr &expr) {
  bool result = DimExpr::parse(expr.str()).has_value();
  expr.forEachSymbol(
      [&](const std::string &name) { result &= name.rfind('%', 0) != 0; });
  return result;
}

/// Names and dimensions of results: the model's own names for sizes that are
/// not constant, else the known expression.
void ModelReading::nameResults(func::FuncOp function, ValueRange results) {
  Builder builder(context);
  for (auto [index, value] : llvm::enumerate(results)) {
    const ValueInfo &output = model.graph.outputs[index];
    SmallVector<Attribute> dims;
    for (auto [dim, expr] : llvm::enumerate(b.dims(value))) {
      std::string text;
      if (dim < output.type.dims.size() && !expr.constant())
        text = dimNames.textOf(output.type.dims[dim].symbol);
      // A declared size that the analysis does not know must not be relied on.
      auto declared = DimExpr::parse(text);
      if (!declared || declared->constant())
        text = isPublic(expr) ? expr.str() : "";
      dims.push_back(builder.getStringAttr(text));
    }
    function.setResultAttr(index, graph::nameAttrName,
                           builder.getStringAttr(output.name));
    function.setResultAttr(index, graph::dimsAttrName,
                           builder.getArrayAttr(dims));
  }
}

/// Invalid where a computed value contradicts what the model declares.
/// Dimensions that the model leaves open are often guesses of its exporter, so
/// that only shapes without any are compared; in bodies of loops, where shapes
/// are assumptions until the body has been read, none.
Status ModelReading::checkType(const ValueType &declared,
                               const ImportedValue &value) {
  if (declared.kind == ValueType::Missing || value.isZipped)
    return noError();
  if (declared.kind != ValueType::TensorKind)
    return invalid(fmt::format("declared as {}, but computed as tensor",
                               kindName(declared.kind)));
  DataType computed = value.elementType();
  if (declared.element != DataType::Undefined && declared.element != computed)
    return invalid(fmt::format("declared as {}, but computed as {}",
                               dataTypeName(declared.element),
                               dataTypeName(computed)));
  SmallVector<int64_t> shape;
  for (const Dim &dim : declared.dims)
    if (dim.value)
      shape.push_back(*dim.value);
  bool isStatic = declared.hasShape && shape.size() == declared.dims.size() &&
                  options.dims.empty() && loopDepth == 0 &&
                  value.type.hasStaticShape();
  if (isStatic && ArrayRef<int64_t>(shape) != value.type.getShape())
    return invalid(fmt::format("declared with shape [{}], but computed with "
                               "shape [{}]",
                               fmt::join(shape, ", "),
                               fmt::join(value.type.getShape(), ", ")));
  return noError();
}

/// Says how an output of a type that GraphIR lacks is given.
static void remarkStorage(Location loc, const ImportedValue &value) {
  if (value.words) {
    constexpr size_t mostShown = 32;
    size_t shown = std::min(value.words->size(), mostShown);
    std::string text = fmt::format(
        "{}{}",
        fmt::join(value.words->begin(), value.words->begin() + shown, ", "),
        shown < value.words->size() ? ", ..." : "");
    return remarks::emit(loc, remarks::Code::IMP002, {text});
  }
  std::string storage;
  llvm::raw_string_ostream(storage) << value.type.getElementType();
  remarks::emit(loc, remarks::Code::IMP003,
                {std::string(dataTypeName(value.emulated)), storage});
}

Status ModelReading::importReturn(const Scope &scope) {
  b.loc = UnknownLoc::get(context);
  SmallVector<Value> results;
  SmallVector<DataType> stored;
  for (const ValueInfo &output : model.graph.outputs) {
    ImportedValue *value = scope.find(output.name);
    if (!value || !value->missing.empty())
      return unsupported(value ? value->missing : "an absent value as output")
          .in(fmt::format("output '{}'", output.name));
    if (value->kind != ImportedValue::Tensor)
      return unsupported(fmt::format("outputs of kind {}", value->kindName()))
          .in(fmt::format("output '{}'", output.name));
    if (Status status = checkType(output.type, *value); !status)
      return std::move(status.error())
          .in(fmt::format("output '{}'", output.name));
    if (value->emulated != DataType::Undefined)
      remarkStorage(NameLoc::get(StringAttr::get(context, output.name)),
                    *value);
    results.push_back(read(*value));
    stored.push_back(value->emulated);
  }
  if (b.failed())
    return *b.firstError;
  b.builder.create<func::ReturnOp>(b.loc, results);
  function.setFunctionType(FunctionType::get(
      context, function.getArgumentTypes(), TypeRange(ValueRange(results))));
  nameResults(function, results);
  for (auto [index, type] : llvm::enumerate(stored))
    if (type != DataType::Undefined && type != DataType::String)
      function.setResultAttr(index, storedTypeAttrName,
                             StringAttr::get(context, dataTypeName(type)));
  return noError();
}

/// Removes unused ops: scalars made for a type that turned out unused, dead
/// nodes of the model.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

Result<OwningOpRef<ModuleOp>> ModelReading::run() {
  symbols = {"main", graph::prepareFunctionName.str()};
  Scope scope;
  scope.opsets = &model.opsets;
  Status status = createFunction(scope);
  if (status)
    status = importGraphBody(model.graph, scope);
  if (status)
    status = importReturn(scope);
  if (!status)
    return status.error();
  b.eraseDiscarded();
  eraseDeadOps(function.getBody().front());
  if (!options.allParameters)
    keepScalarsConstant();
  eraseUnusedParameters();
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module)))
    return invalid(text);
  return std::move(module);
}

Result<OwningOpRef<ModuleOp>>
zenith::onnx::importONNX(const Model &model, MLIRContext *context,
                         const ImportOptions &options) {
  context->loadDialect<graph::GraphDialect, func::FuncDialect>();
  return ModelReading(model, context, options).run();
}
