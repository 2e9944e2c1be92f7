// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry does before its first launch: reads and checks the arguments'
// dimensions, computes every size, and takes the bytes for arguments, results
// and arena.

#include "lowering/pipeline/HostEntry.h"

#include "ir/interpreter/Tensor.h"
#include "lowering/kernels/ElementCodes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/ABI.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;

static DimExpr parsed(mlir::Attribute text) {
  return DimExpr::parse(mlir::cast<mlir::StringAttr>(text).getValue().str())
      .value_or(DimExpr(0));
}

DimExpr bytesOf(host::ValueAttr value) {
  DimExpr bytes(int64_t(elementBytes(value.getType().getElementType())));
  for (mlir::Attribute size : value.getDims())
    bytes = bytes * parsed(size);
  return bytes;
}

Value *HostEntry::argument(unsigned index) {
  return builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), function->getArg(1), index * sizeof(zenith_tensor));
}

Value *HostEntry::dimension(unsigned index, unsigned axis) {
  Value *dims =
      field(argument(index), offsetof(zenith_tensor, dims), pointerType);
  return field(dims, axis * sizeof(int64_t), i64);
}

void HostEntry::checkArguments() {
  Value *run = function->getArg(0);
  failUnlessOK(call("zenith_check_counts", i32,
                    {run, function->getArg(2),
                     builder.getInt64(program.getArguments().size()),
                     function->getArg(4),
                     builder.getInt64(program.getResults().size())}));
  for (unsigned index = 0; index < program.getArguments().size(); ++index) {
    host::ValueAttr value = describe(program.getArguments(), index);
    SmallVector<int64_t> shape;
    for (int64_t size : value.getType().getShape())
      shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    Value *dims = ConstantPointerNull::get(cast<PointerType>(pointerType));
    if (!shape.empty()) {
      Constant *bytes = ConstantDataArray::get(context, shape);
      dims = new GlobalVariable(module, bytes->getType(), true,
                                GlobalValue::PrivateLinkage, bytes);
    }
    failUnlessOK(call(
        "zenith_check_arg", i32,
        {run, builder.getInt64(index), text(value.getName()), argument(index),
         builder.getInt32(
             kernels::elementCode(value.getType().getElementType())),
         builder.getInt64(shape.size()), dims}));
  }
}

void HostEntry::bindScalars() {
  mlir::ArrayAttr names = program.getScalarsAttr();
  for (unsigned index = 0; names && index < names.size(); ++index) {
    StringRef name = cast<mlir::StringAttr>(names[index]).getValue();
    if (name.empty())
      continue;
    unsigned width = describe(program.getArguments(), index)
                         .getType()
                         .getElementTypeBitWidth();
    Value *data =
        field(argument(index), offsetof(zenith_tensor, data), pointerType);
    Value *number =
        builder.CreateLoad(builder.getIntNTy(width < 8 ? 8 : width), data);
    sizes->bind(name, width == 64 ? number : builder.CreateSExt(number, i64));
  }
}

/// Binds the one unknown symbol of `expr` if it enters linearly: "past + seq"
/// gives seq where past is known.
bool HostEntry::solveDimension(const DimExpr &expr, Value *actual) {
  std::string unknown;
  bool several = false;
  expr.forEachSymbol([&](const std::string &name) {
    if (sizes->isBound(name))
      return;
    several |= !unknown.empty() && unknown != name;
    unknown = name;
  });
  if (unknown.empty() || several)
    return false;
  DimExpr symbol = DimExpr::symbol(unknown), rest;
  int64_t coefficient = 0;
  for (const auto &[monomial, factor] : expr.terms()) {
    DimExpr term = DimExpr::fromMonomial(monomial);
    if (term == symbol)
      coefficient = factor;
    else if (sizes->canEvaluate(term))
      rest = rest + term * DimExpr(factor);
    else
      return false;
  }
  if (coefficient == 0)
    return false;
  // Where this leaves a remainder or is negative, the check of the dimension
  // fails afterwards.
  Value *difference = builder.CreateSub(actual, sizes->evaluate(rest));
  sizes->bind(unknown,
              builder.CreateSDiv(difference, builder.getInt64(coefficient)));
  return true;
}

void HostEntry::checkDimension(unsigned index, unsigned axis,
                               const DimExpr &expr) {
  Value *actual = dimension(index, axis), *expected = sizes->evaluate(expr);
  BasicBlock *bad = BasicBlock::Create(context, "", function, failed);
  BasicBlock *next = BasicBlock::Create(context, "", function, failed);
  builder.CreateCondBr(builder.CreateICmpEQ(actual, expected), next, bad);
  builder.SetInsertPoint(bad);
  failure->addIncoming(
      call("zenith_fail_dim", i32,
           {function->getArg(0), builder.getInt64(index),
            builder.getInt64(axis), actual, expected, text(expr.str())}),
      bad);
  builder.CreateBr(failed);
  builder.SetInsertPoint(next);
}

Error HostEntry::bindSymbols() {
  struct Open {
    unsigned argument, axis;
    DimExpr expr;
  };
  std::vector<Open> open, checks;
  for (unsigned index = 0; index < program.getArguments().size(); ++index)
    for (auto [axis, attr] :
         enumerate(describe(program.getArguments(), index).getDims())) {
      DimExpr expr = parsed(attr);
      std::optional<std::string> name = expr.asSymbol();
      if (expr.constant())
        continue;
      if (name && !sizes->isBound(*name))
        sizes->bind(*name, dimension(index, axis));
      else
        open.push_back({index, unsigned(axis), expr});
    }
  checks = open;
  for (bool progress = true; progress;) {
    progress = false;
    for (const Open &entry : open)
      progress |=
          solveDimension(entry.expr, dimension(entry.argument, entry.axis));
  }
  for (const Open &entry : checks)
    if (!sizes->canEvaluate(entry.expr))
      return createStringError(inconvertibleErrorCode(),
                               "the dimensions of the arguments of " +
                                   program.getSymName() + " don't determine " +
                                   entry.expr.str());
  // Only symbols that were solved for can be negative.
  for (const Open &entry : checks) {
    entry.expr.forEachSymbol([&](const std::string &name) {
      failIf(builder.CreateICmpSLT(sizes->evaluate(DimExpr::symbol(name)),
                                   builder.getInt64(0)),
             ZENITH_INVALID_INPUT, "dimension " + name + " would be negative");
    });
    checkDimension(entry.argument, entry.axis, entry.expr);
  }
  bindScalars();
  return Error::success();
}

void HostEntry::computeSizes() {
  auto places = [&](mlir::Attribute attr) {
    auto place = mlir::cast<host::PlaceAttr>(attr);
    sizes->evaluate(place.getOffset());
  };
  sizes->evaluate(program.getArena());
  for (unsigned index = 0; index < program.getResults().size(); ++index) {
    host::ValueAttr value = describe(program.getResults(), index);
    for (mlir::Attribute size : value.getDims())
      sizes->evaluate(parsed(size));
    sizes->evaluate(bytesOf(value));
  }
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto launchOp = mlir::dyn_cast<host::LaunchOp>(op)) {
      for_each(launchOp.getPointers(), places);
      for (mlir::Attribute size : launchOp.getSizes())
        sizes->evaluate(parsed(size));
      sizes->evaluate(launchOp.getTasks());
    } else if (auto copyOp = mlir::dyn_cast<host::CopyOp>(op)) {
      places(copyOp.getSource());
      places(copyOp.getTarget());
      sizes->evaluate(copyOp.getBytes());
    } else if (auto scalarOp = mlir::dyn_cast<host::ScalarOp>(op)) {
      places(scalarOp.getTarget());
      sizes->evaluate(scalarOp.getValue());
    }
  }
}

void HostEntry::checkSizes() {
  if (mlir::ArrayAttr guards = program.getGuardsAttr())
    for (unsigned i = 0; i + 1 < guards.size(); i += 2) {
      Value *isNegative = builder.CreateICmpSLT(
          sizes->evaluate(parsed(guards[i])), builder.getInt64(0));
      failIf(isNegative, ZENITH_INVALID_INPUT,
             mlir::cast<mlir::StringAttr>(guards[i + 1]).getValue().str());
    }
  if (!isa<ConstantInt>(sizes->overflowed()) ||
      cast<ConstantInt>(sizes->overflowed())->isOne())
    failIf(sizes->overflowed(), ZENITH_OUT_OF_MEMORY,
           "the sizes exceed 64 bits");
}

void HostEntry::takeArguments() {
  std::vector<bool> used(program.getArguments().size());
  auto use = [&](mlir::Attribute attr) {
    auto place = mlir::cast<host::PlaceAttr>(attr);
    if (place.getKind() == host::PlaceKind::argument)
      used[place.getIndex()] = true;
  };
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto launchOp = mlir::dyn_cast<host::LaunchOp>(op))
      for_each(launchOp.getPointers(), use);
    else if (auto copyOp = mlir::dyn_cast<host::CopyOp>(op))
      use(copyOp.getSource());
  }
  argumentData.resize(used.size());
  for (unsigned index = 0; index < used.size(); ++index)
    if (used[index]) {
      argumentData[index] =
          call("zenith_arg_data", pointerType,
               {function->getArg(0), builder.getInt64(index), argument(index)});
      failIfNull(argumentData[index]);
    }
  for (mlir::Attribute attr : program.getConstants()) {
    Tensor value = Tensor::fromElements(mlir::cast<mlir::ElementsAttr>(attr));
    Constant *bytes =
        ConstantDataArray::getRaw(StringRef(value.bytes(), value.byteSize()),
                                  value.byteSize(), builder.getInt8Ty());
    auto *global = new GlobalVariable(module, bytes->getType(), true,
                                      GlobalValue::PrivateLinkage, bytes);
    global->setAlignment(Align(64));
    constants.push_back(global);
  }
}

void HostEntry::takeResults() {
  DenseMap<int64_t, int64_t> donated;
  if (std::optional<ArrayRef<int64_t>> pairs = program.getDonations())
    for (unsigned i = 0; i + 1 < pairs->size(); i += 2)
      donated[(*pairs)[i]] = (*pairs)[i + 1];
  unsigned mostDims = 1;
  for (mlir::Attribute attr : program.getResults())
    mostDims = std::max<unsigned>(
        mostDims, mlir::cast<host::ValueAttr>(attr).getDims().size());
  AllocaInst *dims = room(i64, mostDims, "dims");
  for (unsigned index = 0; index < program.getResults().size(); ++index) {
    host::ValueAttr value = describe(program.getResults(), index);
    mlir::Type element = value.getType().getElementType();
    for (auto [axis, size] : enumerate(value.getDims()))
      builder.CreateStore(sizes->evaluate(parsed(size)),
                          builder.CreateConstInBoundsGEP1_64(i64, dims, axis));
    Value *result = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), function->getArg(3),
        index * sizeof(zenith_tensor));
    SmallVector<Value *> arguments{
        function->getArg(0),
        builder.getInt64(index),
        result,
        builder.getInt32(kernels::elementCode(element)),
        builder.getInt64(value.getDims().size()),
        dims,
        sizes->evaluate(bytesOf(value))};
    auto from = donated.find(index);
    if (from != donated.end())
      arguments.insert(arguments.begin() + 3, argument(from->second));
    resultData.push_back(
        call(from != donated.end() ? "zenith_result_donated" : "zenith_result",
             pointerType, arguments));
    failIfNull(resultData.back());
  }
}

void HostEntry::takeArena() {
  Value *bytes = sizes->evaluate(program.getArena());
  if (isa<ConstantInt>(bytes) && cast<ConstantInt>(bytes)->isZero()) {
    arena = ConstantPointerNull::get(cast<PointerType>(pointerType));
    return;
  }
  if (deviceKernels) {
    arena = deviceBuffer(ZENITH_DEVICE_ARENA, 0, bytes);
    return;
  }
  arena = call("zenith_arena", pointerType, {function->getArg(0), bytes});
  failIfNull(arena);
}

} // namespace zenith::pipeline
