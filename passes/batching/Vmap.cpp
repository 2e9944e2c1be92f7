// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the batched function: its signature, rows moved to the front and back,
// and the ops between by their rules.

#include "passes/batching/Vmap.h"
#include "ir/dims/DimExpr.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/Batcher.h"
#include "passes/batching/DimReshapes.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

std::string mistakeIn(const VmapOptions &options, FunctionType type) {
  auto isPlace = [](int64_t dim, Type type) {
    return dim >= 0 && dim <= cast<RankedTensorType>(type).getRank();
  };
  auto outOfRange = [](const Twine &option, int64_t dim, Type type) {
    return (option + " is " + Twine(dim) + ", but a tensor of rank " +
            Twine(cast<RankedTensorType>(type).getRank()) +
            " has places for one more dimension from 0 to " +
            Twine(cast<RankedTensorType>(type).getRank()))
        .str();
  };
  if (options.in.size() != type.getNumInputs())
    return ("in has " + Twine(options.in.size()) + " entries for " +
            Twine(type.getNumInputs()) + " arguments")
        .str();
  if (options.out.size() != 1 && options.out.size() != type.getNumResults())
    return ("out has " + Twine(options.out.size()) + " entries for " +
            Twine(type.getNumResults()) + " results")
        .str();
  bool mapsAny = false;
  for (auto [i, dim] : llvm::enumerate(options.in)) {
    mapsAny |= dim.has_value();
    if (dim && !isPlace(*dim, type.getInput(i)))
      return outOfRange("in of argument " + Twine(i), *dim, type.getInput(i));
  }
  if (!mapsAny)
    return "in maps no argument";
  for (unsigned i = 0; i < type.getNumResults(); ++i) {
    int64_t dim = options.out.size() == 1 ? options.out[0] : options.out[i];
    if (!isPlace(dim, type.getResult(i)))
      return outOfRange("out of result " + Twine(i), dim, type.getResult(i));
  }
  return "";
}

namespace {

/// The signature of the batched function.
class BatchedSignature {
public:
  BatchedSignature(func::FuncOp function, const VmapOptions &options)
      : function(function), options(options), rowsName(freshName()) {}

  RankedTensorType withRows(Type type, int64_t dim) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin() + dim, options.rows);
    return tensor.clone(shape);
  }
  SmallVector<Type> arguments() {
    SmallVector<Type> types(function.getArgumentTypes());
    for (auto [type, dim] : llvm::zip_equal(types, options.in))
      if (dim)
        type = withRows(type, *dim);
    return types;
  }
  int64_t outOf(unsigned result) {
    return options.out.size() == 1 ? options.out[0] : options.out[result];
  }
  void copyAttributes(func::FuncOp to);

private:
  /// A name that no dimension of the signature has.
  std::string freshName();
  DictionaryAttr withRows(DictionaryAttr attributes, Type type, int64_t dim);

  func::FuncOp function;
  const VmapOptions &options;
  std::string rowsName;
};

} // namespace

std::string BatchedSignature::freshName() {
  std::set<std::string> taken;
  auto collect = [&](DictionaryAttr attributes) {
    auto dims =
        attributes ? attributes.getAs<ArrayAttr>(dimsAttrName) : ArrayAttr();
    for (Attribute text : dims ? dims.getValue() : ArrayRef<Attribute>())
      if (auto expr = DimExpr::parse(cast<StringAttr>(text).str()))
        expr->forEachSymbol(
            [&](const std::string &name) { taken.insert(name); });
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    collect(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    collect(function.getResultAttrDict(i));
  std::string name = "rows";
  for (unsigned i = 1; taken.count(name); ++i)
    name = "rows" + std::to_string(i);
  return name;
}

DictionaryAttr BatchedSignature::withRows(DictionaryAttr attributes, Type type,
                                          int64_t dim) {
  Builder b(function.getContext());
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Attribute> dims;
  if (auto known =
          attributes ? attributes.getAs<ArrayAttr>(dimsAttrName) : ArrayAttr())
    llvm::append_range(dims, known);
  else
    for (int64_t size : tensor.getShape())
      dims.push_back(b.getStringAttr(
          ShapedType::isDynamic(size) ? "" : std::to_string(size)));
  std::string rows = ShapedType::isDynamic(options.rows)
                         ? rowsName
                         : std::to_string(options.rows);
  dims.insert(dims.begin() + dim, b.getStringAttr(rows));
  NamedAttrList list(attributes);
  list.set(dimsAttrName, b.getArrayAttr(dims));
  return list.getDictionary(b.getContext());
}

void BatchedSignature::copyAttributes(func::FuncOp to) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    if (options.in[i])
      attributes =
          withRows(attributes, function.getArgumentTypes()[i], *options.in[i]);
    if (attributes)
      to.setArgAttrs(i, attributes);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    to.setResultAttrs(i, withRows(function.getResultAttrDict(i),
                                  function.getResultTypes()[i], outOf(i)));
}

FailureOr<OwningOpRef<func::FuncOp>> vmapFunction(func::FuncOp function,
                                                  const VmapOptions &options) {
  BatchedSignature signature(function, options);
  // Rules write ops out where they stand.
  OwningOpRef<func::FuncOp> source(function.clone());
  OpBuilder builder(function.getContext());
  SmallVector<Type> arguments = signature.arguments(), results;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(signature.withRows(type, signature.outOf(i)));
  OwningOpRef<func::FuncOp> result(
      func::FuncOp::create(function.getLoc(), options.name,
                           builder.getFunctionType(arguments, results)));
  Block *block = result->addEntryBlock();
  builder.setInsertionPointToEnd(block);

  VaryingValues varying;
  Block &body = source->getBody().front();
  BatchSize size{options.rows, Value()};
  for (auto [from, to, dim] : llvm::zip_equal(
           body.getArguments(), block->getArguments(), options.in)) {
    to.setLoc(from.getLoc());
    if (!dim)
      continue;
    varying.insert(from);
    if (size.isDynamic() && !size.scalar)
      size.scalar = builder.create<DimOp>(function.getLoc(), to, *dim);
  }
  varying.propagate(source->getBody());
  auto mapAll = [&](func::FuncOp callee, std::string name) {
    VmapOptions all;
    all.in.assign(callee.getNumArguments(), 0);
    all.name = std::move(name);
    all.rows = options.rows;
    return vmapFunction(callee, all);
  };
  RowFunctions functions(function->getParentOfType<ModuleOp>(), options.rows,
                         mapAll);
  Batcher batcher(builder, varying, size, functions);
  batcher.loc = function.getLoc();
  for (auto [from, to, dim] :
       llvm::zip_equal(body.getArguments(), block->getArguments(), options.in))
    batcher.bind(from, dim ? batcher.rowsInFront(to, *dim) : Value(to));
  if (failed(batcher.run(body)))
    return failure();
  SmallVector<Value> returned;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    returned.push_back(
        movedDim(batcher, batcher.batched(value), 0, signature.outOf(i)));
  batcher.b.create<func::ReturnOp>(body.getTerminator()->getLoc(), returned);
  result->setFunctionType(
      builder.getFunctionType(arguments, TypeRange(ValueRange(returned))));
  signature.copyAttributes(*result);
  return result;
}

} // namespace zenith::batching
