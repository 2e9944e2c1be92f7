// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a StableHLO module function by function, block by block.

#include "frontends/stablehlo/import/ProgramReading.h"

#include "frontends/stablehlo/import/ExportedSignature.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

void ProgramReading::fail(ErrorCode code, const Twine &message, Location loc) {
  if (!failure)
    failure = Error{code, message.str(), graph::placeOf(loc)};
}

void ProgramReading::failWith(llvm::Error error, Location loc) {
  Error typed = errorOf(std::move(error));
  fail(typed.code, typed.text, loc);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isGraphElement(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u},
                              integer.getWidth()) &&
           !integer.isSigned() &&
           (integer.getWidth() > 1 || integer.isSignless());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3Type, Float8E4M3FNType, Float8E5M2Type,
             Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(
      type);
}

SmallVector<Type> ProgramReading::typesOf(Type type, Location loc) {
  if (isa<TokenType>(type))
    return {};
  if (auto tuple = dyn_cast<TupleType>(type))
    return typesOf(tuple.getTypes(), loc);
  if (auto future = dyn_cast<FutureType>(type))
    return typesOf(future.getTypes(), loc);
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  element = element.isIndex() ? builder.getI64Type() : storageType(element);
  if (tensor && isGraphElement(element)) {
    if (!tensor.hasStaticShape() && tensor.getEncoding())
      fail(ErrorCode::Unsupported,
           "bounded dynamic dimensions are not supported", loc);
    return {RankedTensorType::get(tensor.getShape(), element)};
  }
  std::string text;
  llvm::raw_string_ostream(text) << (tensor ? element : type);
  fail(ErrorCode::Unsupported,
       (tensor ? "element type " : "type ") + text + " is not supported", loc);
  return {RankedTensorType::get({}, builder.getF32Type())};
}

SmallVector<Type> ProgramReading::typesOf(TypeRange types, Location loc) {
  SmallVector<Type> result;
  for (Type type : types)
    llvm::append_range(result, typesOf(type, loc));
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks and calls
//===----------------------------------------------------------------------===//

Values ProgramReading::inlineBlock(Block &block, ValueRange arguments) {
  size_t next = 0;
  for (BlockArgument argument : block.getArguments()) {
    size_t count = typesOf(argument.getType(), argument.getLoc()).size();
    if (failed())
      return {};
    if (next + count > arguments.size()) {
      fail(ErrorCode::Invalid, "a region takes more arguments than it gets",
           argument.getLoc());
      return {};
    }
    setValues(argument, Values(arguments.slice(next, count)));
    next += count;
  }
  for (Operation &op : block.without_terminator()) {
    importOp(*this, op);
    if (failed())
      return {};
  }
  Values results;
  for (Value operand : block.back().getOperands())
    llvm::append_range(results, valuesOf(operand));
  return results;
}

func::FuncOp ProgramReading::function(StringRef name) {
  return source.lookupSymbol<func::FuncOp>(name);
}

Values ProgramReading::inlineFunction(StringRef name, ValueRange arguments,
                                      Location loc) {
  func::FuncOp callee = function(name);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock()) {
    fail(callee ? ErrorCode::Unsupported : ErrorCode::Invalid,
         "function @" + name + " has no body of one block", loc);
    return {};
  }
  if (llvm::is_contained(calls, name) || calls.size() > 200) {
    fail(ErrorCode::Unsupported,
         "recursive function @" + name + " is not supported", loc);
    return {};
  }
  calls.push_back(name);
  Values results = inlineBlock(callee.getBody().front(), arguments);
  calls.pop_back();
  return results;
}

void ProgramReading::importRegion(Region &from, Region &region, TypeRange types,
                                  TypeRange yields) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), from.getLoc());
  Block *block = builder.createBlock(&region, {}, types, locs);
  if (!from.hasOneBlock())
    return fail(ErrorCode::Unsupported,
                "a region of several blocks is not supported", from.getLoc());
  Value lifted = std::exchange(liftedLike, Value());
  ++regionDepth;
  Values results = inlineBlock(from.front(), block->getArguments());
  --regionDepth;
  liftedLike = lifted;
  HLOBuilder shapes(builder, from.getLoc());
  if (results.size() == yields.size())
    for (auto [result, type] : llvm::zip_equal(results, yields))
      result = shapes.refine(result, cast<RankedTensorType>(type).getShape());
  builder.create<graph::YieldOp>(from.front().back().getLoc(), results);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static int64_t integerAttr(Operation *op, StringRef name, int64_t fallback) {
  auto value = op->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : fallback;
}

void ProgramReading::checkModule() {
  for (StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"})
    if (integerAttr(source, name, 1) > 1 &&
        !(name == "mhlo.num_partitions" && shardings.isSharded()))
      return fail(ErrorCode::Unsupported,
                  "a program for " + Twine(integerAttr(source, name, 1)) +
                      " devices (" + name + ") is not supported",
                  source.getLoc());
  for (Operation &op : source.getOps())
    if (op.getName().getStringRef() != "sdy.mesh" && !isa<func::FuncOp>(op))
      return fail(ErrorCode::Unsupported,
                  "op '" + op.getName().getStringRef() + "' is not supported",
                  op.getLoc());
}

// Names that JAX gives to results, if they are distinct.
static SmallVector<StringAttr> resultNames(func::FuncOp function) {
  SmallVector<StringAttr> names;
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    bool usable = name && !name.empty() && seen.insert(name.getValue()).second;
    names.push_back(usable ? name : StringAttr());
  }
  return names;
}

// Arguments of the caller, with the attributes that GraphIR knows.
void ProgramReading::setArgument(func::FuncOp from, unsigned index,
                                 ArrayRef<std::string> dims, func::FuncOp to,
                                 unsigned position) {
  auto donor = from.getArgAttrOfType<BoolAttr>(index, "jax.buffer_donor");
  if (from.getArgAttr(index, "tf.aliasing_output") ||
      (donor && donor.getValue()))
    to.setArgAttr(position, "graph.donated", builder.getUnitAttr());
  if (llvm::all_of(dims, [](const std::string &dim) { return dim.empty(); }))
    return;
  SmallVector<StringRef> texts(dims.begin(), dims.end());
  to.setArgAttr(position, graph::dimsAttrName, builder.getStrArrayAttr(texts));
}

// The function with its entry block; gives the values of the source's
// arguments.
func::FuncOp ProgramReading::beginFunction(func::FuncOp from,
                                           Values &arguments) {
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (BlockArgument argument : from.getArguments()) {
    if (isPlatformIndex(from, argument.getArgNumber()))
      continue;
    llvm::append_range(types, typesOf(argument.getType(), argument.getLoc()));
    locs.resize(types.size(), argument.getLoc());
  }
  builder.setInsertionPointToEnd(target->getBody());
  auto to =
      builder.create<func::FuncOp>(from.getLoc(), from.getSymName(),
                                   builder.getFunctionType(types, TypeRange()));
  Block *block = builder.createBlock(&to.getBody(), {}, types, locs);
  std::vector<DimNames> names = exportedDimNames(from);
  unsigned position = 0;
  for (BlockArgument argument : from.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (isPlatformIndex(from, index)) {
      // The list of platforms of a program for this machine begins with cpu.
      HLOBuilder constants(builder, argument.getLoc());
      arguments.push_back(
          constants.scalar(getElementTypeOrSelf(argument.getType()), 0));
      continue;
    }
    size_t count = typesOf(argument.getType(), argument.getLoc()).size();
    if (count == 1)
      setArgument(from, index, names[index], to, position);
    for (size_t i = 0; i < count; ++i)
      arguments.push_back(block->getArgument(position++));
  }
  return to;
}

// Shardings of arguments and results, where each is one tensor.
void ProgramReading::setShardings(func::FuncOp from, func::FuncOp to) {
  auto read = [&](DictionaryAttr attributes, Type type) {
    auto sharding = shardings.ofSignature(attributes, type);
    if (sharding)
      return *sharding;
    failWith(sharding.takeError(), from.getLoc());
    return graph::ShardingAttr();
  };
  if (from.getNumArguments() == to.getNumArguments())
    for (unsigned i = 0; i < to.getNumArguments(); ++i)
      if (auto sharding =
              read(from.getArgAttrDict(i), to.getArgumentTypes()[i]))
        to.setArgAttr(i, graph::shardingAttrName, sharding);
  if (from.getNumResults() <= to.getNumResults())
    for (unsigned i = 0; i < from.getNumResults(); ++i)
      if (auto sharding =
              read(from.getResultAttrDict(i), to.getResultTypes()[i]))
        to.setResultAttr(i, graph::shardingAttrName, sharding);
}

void ProgramReading::importFunction(func::FuncOp from) {
  if (!from.getBody().hasOneBlock())
    return fail(ErrorCode::Unsupported,
                "a function of several blocks is not supported", from.getLoc());
  Block &body = from.getBody().front();
  expectations.clear();
  expected.clear();
  probes.clear();
  Values arguments;
  func::FuncOp to = beginFunction(from, arguments);
  if (failed())
    return;
  calls.assign(1, from.getSymName());
  Values results = inlineBlock(body, arguments);
  if (failed())
    return;
  unsigned own = results.size();
  llvm::append_range(results, expected);
  builder.create<func::ReturnOp>(body.back().getLoc(), results);
  to.setFunctionType(builder.getFunctionType(to.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  if (own == from.getNumResults())
    for (auto [i, name] : llvm::enumerate(resultNames(from)))
      if (name)
        to.setResultAttr(i, graph::nameAttrName, name);
  setShardings(from, to);
  if (from.isPublic())
    functions.push_back({from.getSymName().str(), own, expectations});
  else if (!expectations.empty())
    return fail(ErrorCode::Unsupported,
                "a check in a function that a program for several devices "
                "calls is not supported",
                from.getLoc());
  to.setVisibility(from.getVisibility());
}

std::optional<Values> ProgramReading::callFunction(StringRef name,
                                                   ValueRange arguments,
                                                   Location loc) {
  func::FuncOp callee = function(name);
  if (!callee || callee.isExternal())
    return std::nullopt;
  checkRecursion(name);
  SmallVector<Type> operands = typesOf(callee.getArgumentTypes(), loc);
  SmallVector<Type> results = typesOf(callee.getResultTypes(), loc);
  if (failed() || arguments.getTypes() != TypeRange(operands))
    return std::nullopt;
  if (!llvm::is_contained(called, name))
    called.push_back(name);
  auto call = builder.create<func::CallOp>(loc, name, results, arguments);
  return Values(call.getResults());
}

// Refuses a function from which calls lead back to it.
void ProgramReading::checkRecursion(StringRef name) {
  llvm::StringSet<> seen;
  SmallVector<StringRef> open{name};
  while (!open.empty()) {
    func::FuncOp next = function(open.pop_back_val());
    if (!next)
      continue;
    next.walk([&](func::CallOp call) {
      if (call.getCallee() == name)
        fail(ErrorCode::Unsupported,
             "recursive function @" + name + " is not supported",
             call.getLoc());
      if (seen.insert(call.getCallee()).second)
        open.push_back(call.getCallee());
    });
  }
}

// Functions that run_parallel runs, which mean nothing on one device.
static llvm::StringSet<> devicePrograms(ModuleOp source) {
  llvm::StringSet<> names;
  source.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "interpreter.run_parallel")
      return;
    if (auto rows = op->getAttrOfType<ArrayAttr>("programs"))
      rows.walk([&](FlatSymbolRefAttr name) { names.insert(name.getValue()); });
  });
  return names;
}

llvm::Expected<ImportedProgram> ProgramReading::run() {
  target = ModuleOp::create(source.getLoc(), source.getSymName());
  if (llvm::Error error = shardings.begin(*target))
    failWith(std::move(error), source.getLoc());
  checkModule();
  expressStored(source);
  SmallVector<func::FuncOp> entries;
  llvm::StringSet<> ofDevices = devicePrograms(source);
  for (auto function : source.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        !ofDevices.contains(function.getSymName()))
      entries.push_back(function);
  for (func::FuncOp function : entries)
    if (!failed())
      importFunction(function);
  for (size_t i = 0; i < called.size() && !failed(); ++i)
    if (func::FuncOp callee = function(called[i]); !callee.isPublic())
      importFunction(callee);
  if (failed())
    return makeError(std::move(*failure));
  // A mistake that no rule checks is reported in the verifier's words.
  std::string text;
  Location location = source.getLoc();
  ScopedDiagnosticHandler handler(source.getContext(), [&](Diagnostic &d) {
    if (text.empty()) {
      text = d.str();
      location = d.getLocation();
    }
    return success();
  });
  if (mlir::failed(mlir::verify(*target)))
    return makeError(ErrorCode::Invalid, text, graph::placeOf(location));
  return ImportedProgram{std::move(target), std::move(functions)};
}
