// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops with branches, loops, tuples and calls, and of
// those that apply a region to elements.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool isPredicate(Type type) {
  RankedTensorType tensor = tensorOf(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isInteger(1);
}

// while_c1 to while_c3
static LogicalResult checkWhile(Operation *op) {
  TypeRange operands = op->getOperandTypes();
  for (unsigned i : {0u, 1u}) {
    llvm::StringRef name = i ? "body" : "condition";
    TypeRange arguments = op->getRegion(i).front().getArgumentTypes();
    if (!typesAgree(operands, arguments))
      return op->emitOpError("expect operands to be compatible with ")
             << name << " block arguments but got " << typesText(operands)
             << " vs " << typesText(arguments);
  }
  std::optional<TypeRange> condition = returnTypes(op->getRegion(0));
  if (!condition || condition->size() != 1)
    return op->emitOpError("expect condition body returns a single value but "
                           "got ")
           << (condition ? condition->size() : 0);
  if (!isPredicate(condition->front()))
    return op->emitOpError("expect condition block return a zero-ranked tensor "
                           "of i1 but got ")
           << condition->front();
  std::optional<TypeRange> body = returnTypes(op->getRegion(1));
  if (!body || !typesAgree(operands, *body))
    return op->emitOpError("expect operands to be compatible with body block "
                           "return types but got ")
           << typesText(operands) << " vs "
           << typesText(body.value_or(TypeRange()));
  return checkResults(op, llvm::to_vector(operands));
}

// if_c1 to if_c3, case_c1 to case_c4
static LogicalResult checkBranches(Operation *op) {
  RankedTensorType index = tensorOf(op->getOperand(0));
  if (index.getRank() != 0)
    return op->emitOpError("operand should be rank 0 tensor but got rank ")
           << index.getRank();
  if (op->getNumRegions() == 0)
    return op->emitOpError("expect at least one branch");
  std::optional<TypeRange> first;
  for (Region &region : op->getRegions()) {
    unsigned i = region.getRegionNumber();
    if (region.getNumArguments())
      return op->emitOpError("branch ")
             << i << " must have 0 arguments, but found "
             << region.getNumArguments();
    std::optional<TypeRange> types = returnTypes(region);
    if (!types)
      return op->emitOpError("branch ") << i << " returns nothing";
    if (first && !typesAgree(*first, *types))
      return op->emitOpError("branch 0 and branch ")
             << i << " have mismatched return types: " << typesText(*first)
             << " vs " << typesText(*types);
    if (!first)
      first = types;
  }
  return checkResults(op, llvm::to_vector(*first));
}

// map_c1 to map_c4
static LogicalResult checkMap(Operation *op) {
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != op->getNumOperands())
    return op->emitOpError("expects number of operands to match the arity of "
                           "map computation, but got: ")
           << op->getNumOperands() << " and " << block.getNumArguments();
  if (op->getNumOperands() == 0)
    return op->emitOpError("requires at least 1 input value");
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  for (BlockArgument argument : block.getArguments()) {
    RankedTensorType type = tensorOf(argument);
    if (!type || type.getRank() != 0)
      return op->emitOpError("computation arguments must be 0-rank tensor, but "
                             "got: arg #")
             << argument.getArgNumber() << " of type " << argument.getType();
    Type element = types[argument.getArgNumber()].getElementType();
    if (type.getElementType() != element)
      return op->emitOpError("element type of operands and computation "
                             "arguments must match, but got: ")
             << element << " and " << type.getElementType();
  }
  std::optional<TypeRange> returned = returnTypes(op->getRegion(0));
  if (!returned || returned->size() != 1)
    return op->emitOpError("computation must return single output, but got: ")
           << (returned ? returned->size() : 0);
  RankedTensorType result = tensorOf(returned->front());
  if (!result || result.getRank() != 0)
    return op->emitOpError("computation must return 0-rank tensor, but got: ")
           << returned->front();
  Integers dims = integersOf(op, "dimensions");
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != int64_t(i))
      return op->emitOpError("requires monotonically increasing dimension "
                             "numbers, but got: ")
             << listText(dims);
  for (RankedTensorType type : types) {
    if (int64_t(dims.size()) != type.getRank())
      return op->emitOpError("applied to a subset of dimensions currently not "
                             "supported: operand dimensions = ")
             << type.getRank()
             << ", requested map dimensions size = " << dims.size();
    if (!shapesAgree(types[0], type))
      return op->emitOpError(
          "requires the same shape for all operands and results");
  }
  return checkResults(op, Type(types[0].clone(result.getElementType())));
}

// sort_c1 to sort_c5
static LogicalResult checkSort(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("requires at least one input");
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  for (RankedTensorType type : types)
    if (!shapesAgree(types[0], type))
      return op->emitOpError(
          "requires the same shape for all operands and results");
  int64_t rank = types[0].getRank(), dim = integerOf(op, "dimension", -1);
  if (dim < -rank || dim >= rank)
    return op->emitOpError("dimension attribute value must be in range [")
           << -rank << ", " << rank << "), but found " << dim;
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != 2 * types.size())
    return op->emitOpError("comparator block should have ")
           << 2 * types.size() << " arguments";
  for (auto [i, type] : llvm::enumerate(types))
    for (size_t k : {2 * i, 2 * i + 1}) {
      Type scalar = RankedTensorType::get({}, type.getElementType());
      if (block.getArgument(k).getType() != scalar)
        return op->emitOpError("comparator block argument #")
               << k << " should be of type " << scalar << " but got "
               << block.getArgument(k).getType();
    }
  std::optional<TypeRange> returned = returnTypes(op->getRegion(0));
  if (!returned || returned->size() != 1)
    return op->emitOpError("comparator must return single output but got ")
           << (returned ? returned->size() : 0);
  if (!isPredicate(returned->front()))
    return op->emitOpError("comparator must return tensor<i1> but got ")
           << returned->front();
  return checkResults(op, llvm::to_vector(op->getOperandTypes()));
}

static LogicalResult checkBarrier(Operation *op) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires the same number of operands and results");
  return checkResults(op, llvm::to_vector(op->getOperandTypes()));
}

static LogicalResult checkTuple(Operation *op) {
  return checkResults(
      op, Type(TupleType::get(op->getContext(), op->getOperandTypes())));
}

// get_tuple_element_c1, get_tuple_element_c2
static LogicalResult checkTupleElement(Operation *op) {
  if (failed(checkAtLeast(op, "index", 0, 32)))
    return failure();
  auto tuple = cast<TupleType>(op->getOperand(0).getType());
  int64_t index = integerOf(op, "index");
  if (index >= int64_t(tuple.size()))
    return op->emitOpError("index ")
           << index << " is out of bounds of operand with size "
           << tuple.size();
  return checkResults(op, tuple.getType(index));
}

static LogicalResult checkLayouts(Operation *op, TypeRange types,
                                  llvm::StringRef plural) {
  auto layouts =
      op->getAttrOfType<ArrayAttr>((plural.drop_back() + "_layouts").str());
  if (!layouts)
    return success();
  if (types.size() != layouts.size())
    return op->emitOpError("Number of ")
           << plural << " must match the number of " << plural.drop_back()
           << " layouts, " << types.size() << " != " << layouts.size();
  for (auto [type, layout] : llvm::zip(types, layouts)) {
    auto list = dyn_cast<DenseIntElementsAttr>(layout);
    if (!list || !list.getElementType().isIndex())
      return op->emitOpError("layouts must be tensors of index");
    RankedTensorType tensor = tensorOf(type);
    if (!tensor && isa<ShapedType>(type))
      continue;
    if (!tensor) {
      if (isa<TupleType>(type))
        return op->emitOpError("Tuple types are not fully supported with "
                               "layout constraints yet");
      if (!list.empty())
        return op->emitOpError("Only tensor types can have non-empty layout: ")
               << type << " has layout " << layout;
      continue;
    }
    Integers order;
    if (list.getNumElements() == tensor.getRank())
      for (const APInt &value : list.getValues<APInt>())
        order.push_back(value.getSExtValue());
    else
      order.push_back(-1);
    llvm::sort(order);
    if (order != llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())))
      return op->emitOpError("incorrect layout ")
             << layout << " for type " << type
             << ", layout must be a permutation of [0, " << tensor.getRank()
             << ")";
  }
  return success();
}

// The part of a tuple that indices name; null where there is none.
static Type partOf(Type type, llvm::ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= int64_t(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

static LogicalResult checkAliases(Operation *op) {
  auto aliases = op->getAttrOfType<ArrayAttr>("output_operand_aliases");
  for (Attribute attribute :
       aliases ? aliases.getValue() : llvm::ArrayRef<Attribute>()) {
    auto alias = dyn_cast<OutputOperandAliasAttr>(attribute);
    if (!alias)
      return op->emitOpError("output_operand_aliases holds another attribute");
    int64_t index = alias.getOperandIndex();
    if (index < 0 || index >= op->getNumOperands())
      return op->emitOpError("expects operandIndex in the output_operand_alias "
                             "attribute to be in range [0, ")
             << op->getNumOperands() << "); got: " << index;
    Type operand =
        partOf(op->getOperand(index).getType(), alias.getOperandTupleIndices());
    if (!operand)
      return op->emitOpError("operand_tuple_indices in the "
                             "output_operand_alias attribute out of bounds");
    // Several results count as a tuple.
    Type whole = op->getNumResults() == 1
                     ? op->getResult(0).getType()
                     : TupleType::get(op->getContext(), op->getResultTypes());
    bool tupled = isa<TupleType>(whole);
    llvm::ArrayRef<int64_t> outputs = alias.getOutputTupleIndices();
    if (!tupled && outputs.size() == 1 && outputs[0] == 0)
      outputs = {};
    Type output = partOf(whole, outputs);
    if (!output)
      return op->emitOpError("output_tuple_indices in the output_operand_alias "
                             "attribute out of bounds");
    if (operand != output)
      return op->emitOpError("shapes mismatch in the output_operand_alias "
                             "attribute: operand part has type ")
             << operand << " and output part has type " << output;
  }
  return success();
}

static void countBuffers(Type type, SmallVector<int64_t> &path,
                         llvm::function_ref<void(llvm::ArrayRef<int64_t>)> on) {
  if (isa<MemRefType>(type))
    on(path);
  if (auto tuple = dyn_cast<TupleType>(type))
    for (auto [i, part] : llvm::enumerate(tuple.getTypes())) {
      path.push_back(i);
      countBuffers(part, path, on);
      path.pop_back();
    }
}

static std::string pathText(llvm::ArrayRef<int64_t> path) {
  return "[" + listText(path) + "]";
}

// Every buffer that goes in or out is aliased exactly once.
static LogicalResult checkBuffers(Operation *op) {
  llvm::StringSet<> ins, outs;
  std::string twice;
  auto aliases = op->getAttrOfType<ArrayAttr>("output_operand_aliases");
  for (Attribute attribute :
       aliases ? aliases.getValue() : llvm::ArrayRef<Attribute>()) {
    auto alias = cast<OutputOperandAliasAttr>(attribute);
    std::string in = std::to_string(alias.getOperandIndex()) +
                     pathText(alias.getOperandTupleIndices());
    Type part = partOf(op->getOperand(alias.getOperandIndex()).getType(),
                       alias.getOperandTupleIndices());
    if (!ins.insert(in).second && isa<MemRefType>(part))
      return op->emitOpError("buffer operand ")
             << in << " is used in output_operand_alias more than once";
    llvm::ArrayRef<int64_t> out = alias.getOutputTupleIndices();
    outs.insert(out.empty() ? "[0]" : pathText(out));
  }
  std::optional<std::string> missing;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    SmallVector<int64_t> path;
    countBuffers(op->getOperand(i).getType(), path,
                 [&](llvm::ArrayRef<int64_t> at) {
                   std::string name = std::to_string(i) + pathText(at);
                   if (!ins.contains(name) && !missing)
                     missing = "operand " + name;
                 });
  }
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    SmallVector<int64_t> path{int64_t(i)};
    if (op->getNumResults() == 1 && isa<TupleType>(type))
      path.clear();
    countBuffers(type, path, [&](llvm::ArrayRef<int64_t> at) {
      if (!outs.contains(pathText(at)) && !missing)
        missing = "output " + pathText(at);
    });
  }
  if (missing)
    return op->emitOpError("buffer ")
           << *missing << " is not used in output_operand_alias";
  return success();
}

// custom_call_c1 to custom_call_c3 and layouts, aliases, buffers
static LogicalResult checkCustomCall(Operation *op) {
  bool operandLayouts = bool(op->getAttr("operand_layouts"));
  if (operandLayouts != bool(op->getAttr("result_layouts")))
    return op->emitOpError("Layout attributes should be specified for either "
                           "both operands and results or none.");
  if (operandLayouts) {
    TypeRange results = op->getResultTypes();
    SmallVector<Type> parts = llvm::to_vector(results);
    if (parts.size() == 1)
      if (auto tuple = dyn_cast<TupleType>(parts[0]))
        parts = llvm::to_vector(tuple.getTypes());
    if (failed(checkLayouts(op, op->getOperandTypes(), "operands")) ||
        failed(checkLayouts(op, TypeRange(parts), "results")))
      return failure();
  }
  int64_t api = integerOf(op, "api_version", 1);
  static constexpr llvm::StringLiteral names[] = {
      "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
      "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
      "API_VERSION_TYPED_FFI"};
  if (api < 0 || api >= int64_t(std::size(names)))
    return op->emitOpError("attribute 'api_version' failed to satisfy "
                           "constraint: Custom call API version");
  Attribute config = op->getAttr("backend_config");
  if (config && api < 4 && !isa<StringAttr>(config))
    return op->emitOpError("backend_config for api_version ")
           << names[api] << " must be a string attribute.";
  if (config && api == 4 && !isa<DictionaryAttr>(config))
    return op->emitOpError("backend_config for api_version ")
           << names[api] << " must be a dictionary attribute.";
  if (failed(checkAliases(op)))
    return failure();
  auto target = op->getAttrOfType<StringAttr>("call_target_name").getValue();
  if (target == "CreateBuffer" || target == "Pin") {
    if (op->getNumResults() != 1 ||
        !isa<MemRefType>(op->getResult(0).getType()))
      return op->emitOpError()
             << target << " custom_call should have a memref output";
    return success();
  }
  if (target == "Unpin") {
    if (op->getNumOperands() != 1 ||
        !isa<MemRefType>(op->getOperand(0).getType()))
      return op->emitOpError("Unpin custom_call should have a memref operand");
    return success();
  }
  return checkBuffers(op);
}

// Dot-separated words of letters, digits and _ after a first namespace.
static bool isNamespacedName(llvm::StringRef name) {
  SmallVector<llvm::StringRef> words;
  name.split(words, '.');
  if (words.size() < 2)
    return false;
  for (llvm::StringRef word : words) {
    if (word.empty() || (!llvm::isAlpha(word[0]) && word[0] != '_'))
      return false;
    if (!llvm::all_of(word, [](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '$';
        }))
      return false;
  }
  return true;
}

// composite_c1 to composite_c4
static LogicalResult checkComposite(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("name");
  if (!name || !isNamespacedName(name))
    return op->emitOpError("name must be a valid namespaced op name");
  auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("decomposition");
  auto function =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol);
  if (!function)
    return op->emitOpError("decomposition '")
           << symbol.getValue() << "' does not reference a valid function";
  FunctionType type = function.getFunctionType();
  std::pair<TypeRange, TypeRange> sides[] = {
      {op->getOperandTypes(), type.getInputs()},
      {op->getResultTypes(), type.getResults()}};
  for (auto [i, side] : llvm::enumerate(sides)) {
    llvm::StringRef what = i ? "result" : "operand";
    if (side.first.size() != side.second.size())
      return op->emitOpError("has ")
             << side.first.size() << " " << what
             << "(s), but decomposition has " << side.second.size();
    for (auto [k, types] : llvm::enumerate(llvm::zip(side.first, side.second)))
      if (!typesAgree(std::get<0>(types), std::get<1>(types)))
        return op->emitOpError()
               << what << " at index " << k << " has type "
               << std::get<0>(types) << ", but decomposition has type "
               << std::get<1>(types);
  }
  return success();
}

OpCheck zenith::stablehlo::controlCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("while", checkWhile)
      .Cases("if", "case", checkBranches)
      .Case("map", checkMap)
      .Case("sort", checkSort)
      .Case("optimization_barrier", checkBarrier)
      .Case("tuple", checkTuple)
      .Case("get_tuple_element", checkTupleElement)
      .Case("custom_call", checkCustomCall)
      .Case("composite", checkComposite)
      .Default(nullptr);
}
