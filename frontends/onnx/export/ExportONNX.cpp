// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the function: signature, parameters as mapped initializers, op by op
// through the export rows, then drops what no result needs.
#include "frontends/onnx/ExportONNX.h"
#include "frontends/onnx/DimNames.h"
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/export/ExportBuilder.h"

#include "ir/program/ParameterFiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <filesystem>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

namespace {

class ModelExport {
public:
  ModelExport(ModuleOp module, const ExportOptions &options)
      : module(module), options(options), b(model.graph, options.opset) {}

  Result<Model> run();

private:
  Result<func::FuncOp> findEntry();
  ValueInfo signature(mlir::Type type, DictionaryAttr attributes,
                      const std::string &otherwise);
  void declareArguments(func::FuncOp function);
  void declareResults(func::FuncOp function, func::ReturnOp ret);
  void exportOp(Operation &op);
  Status exportParameter(graph::GetParamOp op);
  void dropUnused();

  ModuleOp module;
  const ExportOptions &options;
  Model model;
  ExportBuilder b;
  llvm::StringMap<std::string> parameters;
  llvm::StringMap<std::shared_ptr<const files::ByteSource>> mapped;
};

} // namespace

static const ExportRow *findExport(StringRef name) {
  for (llvm::ArrayRef<ExportRow> rows :
       {elementwiseExports(), movementExports(), contractionExports(),
        reductionExports(), indexingExports(), compositeExports(),
        controlExports(), operatorCallExports(), orderingExports(),
        scatterExports(), regionReductionExports()})
    for (const ExportRow &row : rows)
      if (row.op == name)
        return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

Result<func::FuncOp> ModelExport::findEntry() {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool wanted = options.entry.empty() ? function.isPublic()
                                        : function.getName() == options.entry;
    if (!wanted)
      continue;
    if (found)
      found = module.lookupSymbol<func::FuncOp>("main");
    else
      found = function;
  }
  if (!found || found.isExternal())
    return invalid(
        options.entry.empty()
            ? "there is no function to export"
            : fmt::format("there is no function '{}'", options.entry));
  if (!found.getBody().hasOneBlock())
    return unsupported("a function with several blocks");
  return found;
}

ValueInfo ModelExport::signature(mlir::Type type, DictionaryAttr attributes,
                                 const std::string &otherwise) {
  ValueInfo info;
  auto name = attributes ? attributes.getAs<StringAttr>(graph::nameAttrName)
                         : StringAttr();
  info.name = name && !name.empty() ? name.str() : otherwise;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    b.fail(unsupported("an argument or result that is not a ranked tensor"));
    return info;
  }
  info.type.kind = ValueType::TensorKind;
  // Whether the opset has the type is checked at the ops that use it.
  info.type.element = dataTypeOf(tensor.getElementType());
  info.type.hasShape = true;
  auto dims = attributes ? attributes.getAs<ArrayAttr>(graph::dimsAttrName)
                         : ArrayAttr();
  for (int64_t i = 0; i < tensor.getRank(); ++i) {
    Dim dim;
    if (!tensor.isDynamicDim(i))
      dim.value = tensor.getDimSize(i);
    else if (dims && i < int64_t(dims.size()))
      if (auto text = dyn_cast<StringAttr>(dims[i]))
        dim.symbol = dimParamOf(text.str());
    info.type.dims.push_back(std::move(dim));
  }
  return info;
}

void ModelExport::declareArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    ValueInfo info =
        signature(argument.getType(), function.getArgAttrDict(index),
                  fmt::format("arg{}", index));
    info.name = b.fresh(info.name);
    b.bind(argument, info.name);
    model.graph.inputs.push_back(std::move(info));
  }
  // Public names of results are taken before any other name is made up.
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    ValueInfo info = signature(function.getResultTypes()[index],
                               function.getResultAttrDict(index),
                               fmt::format("result{}", index));
    info.name = b.fresh(info.name);
    model.graph.outputs.push_back(std::move(info));
  }
}

/// Gives results their public names: at the node that makes the value if it has
/// one reader only, else by Identity.
void ModelExport::declareResults(func::FuncOp function, func::ReturnOp ret) {
  std::map<std::string, std::string> renamed;
  for (auto [output, value] :
       llvm::zip_equal(model.graph.outputs, ret.getOperands())) {
    Node node;
    node.op = "Identity";
    node.name = b.fresh("result_" + output.name);
    std::string from = b.name(value);
    auto other = renamed.find(from);
    node.inputs = {other == renamed.end() ? from : other->second};
    node.outputs = {output.name};
    Node *last =
        model.graph.nodes.empty() ? nullptr : &model.graph.nodes.back();
    bool onlyHere = llvm::hasSingleElement(value.getUses()) && last &&
                    last->outputs.front() == node.inputs.front();
    if (onlyHere)
      renamed[from] = last->outputs.front() = output.name;
    else
      model.graph.nodes.push_back(std::move(node));
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Status ModelExport::exportParameter(graph::GetParamOp op) {
  std::string &known = parameters[op.getParam()];
  if (!known.empty()) {
    b.bind(op, known);
    return noError();
  }
  auto param = SymbolTable::lookupNearestSymbolFrom<graph::ParamOp>(
      op, op.getParamAttr());
  Attribute source = param ? param.getSourceAttr() : Attribute();
  if (!source)
    return unsupported(
        fmt::format("parameter '{}' without a value", op.getParam().str()));
  Tensor tensor;
  auto type = cast<RankedTensorType>(op.getType());
  DataType dataType = b.typeOf(type);
  if (b.failed())
    return *b.firstError;
  if (auto external = dyn_cast<graph::ExternalAttr>(source)) {
    std::string path =
        (std::filesystem::path(options.folder) / external.getFile().str())
            .string();
    auto &file = mapped[path];
    if (!file) {
      auto opened = files::ByteSource::open(path);
      if (!opened)
        return opened.error();
      file = *opened;
    }
    uint64_t offset = external.getOffset(), length = external.getLength(),
             size = file->bytes().size();
    if (offset > size || length > size - offset)
      return invalid(fmt::format("parameter '{}' exceeds its file '{}'",
                                 op.getParam().str(), path));
    if (auto error = graph::checkFile(
            op.getParam(), graph::fileRecordOf(param), int64_t(size),
            {file->bytes().data() + offset, length}, path, options.verifyFiles))
      return *error;
    tensor.type = dataType;
    tensor.dims.assign(type.getShape().begin(), type.getShape().end());
    tensor.data = {file, offset, length};
  } else if (auto elements = dyn_cast<DenseElementsAttr>(source)) {
    tensor = tensorOf(elements, dataType);
  } else {
    return unsupported(
        fmt::format("parameter '{}' from elements that are not dense",
                    op.getParam().str()));
  }
  known = b.initializer(std::move(tensor), op.getParam().str());
  b.bind(op, known);
  return noError();
}

static std::string locationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return "";
}

void ModelExport::exportOp(Operation &op) {
  std::string location = locationName(op.getLoc());
  std::string type = op.getName().getStringRef().str();
  b.nodeName = location;
  Status status = noError();
  const ExportRow *row = findExport(type);
  for (Value value : op.getOperands())
    b.typeOf(value.getType());
  if (auto param = dyn_cast<graph::GetParamOp>(op))
    status = exportParameter(param);
  else if (row)
    row->write(&op, b, *row);
  else
    status = unsupported(fmt::format("op {} cannot be written as ONNX", type));
  if (!status)
    b.fail(std::move(status.error()));
  if (b.failed())
    b.firstError =
        std::move(*b.firstError)
            .in(location.empty() ? type
                                 : fmt::format("'{}' ({})", location, type));
}

/// Adds the names that a node reads, in its subgraphs too.
static void addReads(const Node &node, std::set<std::string> &needed) {
  needed.insert(node.inputs.begin(), node.inputs.end());
  for (const NodeAttribute &attribute : node.attributes)
    for (const Graph &graph : attribute.graphs)
      for (const Node &inner : graph.nodes)
        addReads(inner, needed);
}

/// Nodes that no output needs: sizes that a constant shape made unnecessary.
static void dropUnusedNodes(Graph &graph, std::set<std::string> &needed) {
  for (const ValueInfo &output : graph.outputs)
    needed.insert(output.name);
  std::vector<Node> kept;
  for (Node &node : llvm::reverse(graph.nodes)) {
    if (llvm::none_of(node.outputs, [&](const std::string &output) {
          return needed.count(output) > 0;
        }))
      continue;
    for (NodeAttribute &attribute : node.attributes)
      for (Graph &inner : attribute.graphs)
        dropUnusedNodes(inner, needed);
    addReads(node, needed);
    kept.push_back(std::move(node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()),
                     std::make_move_iterator(kept.rend()));
}

void ModelExport::dropUnused() {
  std::set<std::string> needed;
  dropUnusedNodes(model.graph, needed);
  llvm::erase_if(model.graph.initializers, [&](const Tensor &tensor) {
    return !needed.count(tensor.name);
  });
}

/// The IR version that came with an opset; readers refuse newer versions than
/// they know.
static int64_t irVersionOf(int64_t opset) {
  if (opset <= 14)
    return 7;
  if (opset <= 18)
    return 8;
  if (opset <= 20)
    return 9;
  return opset <= 22 ? 10 : 11;
}

Result<Model> ModelExport::run() {
  if (options.opset < oldestOpset || options.opset > newestOpset)
    return unsupported(fmt::format("opset {}: {} to {} can be written",
                                   options.opset, oldestOpset, newestOpset));
  auto function = findEntry();
  if (!function)
    return function.error();
  model.irVersion = irVersionOf(options.opset);
  model.producerName = "zenith";
  model.opsets = {{"", options.opset}};
  model.graph.name = function->getName().str();
  b.writeOp = [&](Operation &op) { exportOp(op); };
  declareArguments(*function);
  Block &block = function->getBody().front();
  for (Operation &op : block.without_terminator()) {
    if (!b.failed())
      exportOp(op);
    if (b.failed())
      return *b.firstError;
  }
  b.nodeName = "";
  auto ret = dyn_cast<func::ReturnOp>(block.getTerminator());
  if (!ret)
    return unsupported("a function that does not end in a return");
  declareResults(*function, ret);
  for (mlir::Type type : function->getArgumentTypes())
    b.typeOf(type);
  if (b.failed())
    return *b.firstError;
  dropUnused();
  for (const Node &node : model.graph.nodes)
    if (!llvm::is_contained(
            llvm::map_range(model.opsets,
                            [](const OpsetImport &opset) -> std::string {
                              return opset.domain;
                            }),
            node.domain))
      model.opsets.push_back({node.domain, 1});
  return std::move(model);
}

Result<Model> zenith::onnx::exportONNX(ModuleOp module,
                                       const ExportOptions &options) {
  return ModelExport(module, options).run();
}
