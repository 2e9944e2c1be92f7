// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry does before its first launch: reads and checks the arguments'
// dimensions, computes every size, and takes the bytes for arguments, results
// and arena.

#include "lowering/program/HostEntry.h"

#include "ir/tensor/Tensor.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/ABI.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;
using kernels::elementCode;

DimExpr bytesOf(host::ValueAttr value) {
  DimExpr bytes(int64_t(elementBytes(value.getType().getElementType())));
  for (mlir::Attribute size : value.getDims())
    bytes = bytes * graph::exprOf(size);
  return bytes;
}

Value *HostEntry::argument(unsigned index) {
  return builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), function->getArg(1), index * sizeof(zenith_tensor));
}

Value *HostEntry::result(unsigned index) {
  return builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), function->getArg(3), index * sizeof(zenith_tensor));
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
    mlir::Type type =
        describe(program.getArguments(), index).getType().getElementType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value *data =
        field(argument(index), offsetof(zenith_tensor, data), pointerType);
    Value *number =
        builder.CreateLoad(builder.getIntNTy(width < 8 ? 8 : width), data);
    sizes->bind(name, extended(number, type));
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
      DimExpr expr = graph::exprOf(attr);
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

/// Computes the sizes of an entry and its steps that its arguments give.
void HostEntry::computeSizes(host::ProgramOp whole) {
  sizes->evaluateKnown(whole.getArenaAttr());
  for (unsigned index = 0; index < whole.getResults().size(); ++index) {
    host::ValueAttr value = describe(whole.getResults(), index);
    sizes->evaluateKnown(value.getDims());
    if (DimExpr bytes = bytesOf(value); sizes->canEvaluate(bytes))
      sizes->evaluate(bytes);
  }
  for (mlir::Operation &step : whole.getBody().front())
    computeSizes(&step);
}

/// Computes the sizes of a step that are known by now. Later code of the step
/// may be conditional, but the values are used by later steps too.
void HostEntry::computeSizes(mlir::Operation *op) {
  // An overflow of these must not fail a run that does not need them.
  if (mlir::isa<host::AssertOp, host::EvalOp>(op))
    return;
  for (mlir::NamedAttribute attr : op->getAttrs()) {
    llvm::StringRef name = attr.getName();
    bool isEstimate =
        name == host::flopsAttrName || name == host::bytesAttrName;
    bool isUnused = name == "pointer_bytes" && !deviceKernels;
    if (!isEstimate && !isUnused)
      sizes->evaluateKnown(attr.getValue());
  }
}
/// Ends the run where a size that was computed left 64 bits.
void HostEntry::settleSizes() {
  Value *overflowed = sizes->overflowed();
  sizes->settle();
  if (!isa<ConstantInt>(overflowed) || cast<ConstantInt>(overflowed)->isOne())
    failIf(overflowed, ZENITH_OUT_OF_MEMORY, "the sizes exceed 64 bits");
}

void HostEntry::checkGuards() {
  if (mlir::ArrayAttr guards = frame->program.getGuardsAttr())
    for (auto guard : guards.getAsRange<host::ShapeGuardAttr>()) {
      Value *isNegative = builder.CreateICmpSLT(
          sizes->evaluate(guard.getNonnegative()), builder.getInt64(0));
      failIf(isNegative, ZENITH_INVALID_INPUT, guard.getMessage().str());
    }
}

void HostEntry::takeArguments() {
  std::vector<bool> used(program.getArguments().size());
  for (mlir::Operation &op : program.getBody().front())
    op.getAttrDictionary().walk([&](host::BufferAttr place) {
      if (place.getKind() == host::BufferKind::argument)
        used[place.getIndex()] = true;
    });
  frame->arguments.resize(used.size());
  for (unsigned index = 0; index < used.size(); ++index)
    if (used[index]) {
      Value *data =
          call("zenith_arg_data", pointerType,
               {function->getArg(0), builder.getInt64(index), argument(index)});
      failIfNull(data);
      frame->arguments[index].base = data;
    }
}

static unsigned cellsOf(host::ProgramOp program) {
  unsigned cells = 0;
  for (mlir::Operation &op : program.getBody().front())
    op.getAttrDictionary().walk([&](host::BufferAttr place) {
      if (place.getKind() == host::BufferKind::cell)
        cells = std::max<unsigned>(cells, place.getIndex() + 1);
    });
  return cells;
}

/// Constants of the entry and of all programs that it may run, and what a
/// device needs for their scalars.
void HostEntry::takeConstants() {
  std::vector<host::ProgramOp> open{program};
  int64_t number = 0;
  while (!open.empty()) {
    host::ProgramOp current = open.back();
    open.pop_back();
    for (mlir::Attribute attr : current.getConstants()) {
      Tensor value = Tensor::fromElements(mlir::cast<mlir::ElementsAttr>(attr));
      Constant *bytes =
          ConstantDataArray::getRaw(StringRef(value.bytes(), value.byteSize()),
                                    value.byteSize(), builder.getInt8Ty());
      auto *global = new GlobalVariable(module, bytes->getType(), true,
                                        GlobalValue::PrivateLinkage, bytes);
      global->setAlignment(Align(64));
      Bytes place{global, nullptr};
      if (deviceKernels) {
        Value *size = builder.getInt64(value.byteSize());
        place = {deviceBuffer(ZENITH_DEVICE_POOL, number++, size),
                 builder.getInt64(0)};
        upload(-1, place, global, size);
      }
      constants[current].push_back(place);
    }
    unsigned cells = deviceKernels ? cellsOf(current) : 0;
    for (unsigned cell = 0; cell < cells; ++cell)
      deviceCells[current].push_back(
          {deviceBuffer(ZENITH_DEVICE_POOL, number++, builder.getInt64(8)),
           builder.getInt64(0)});
    for (mlir::Operation &op : current.getBody().front())
      op.getAttrDictionary().walk([&](mlir::FlatSymbolRefAttr name) {
        if (mlir::isa<host::IfOp, host::WhileOp>(op))
          open.push_back(programOf(name));
      });
  }
}

/// Asks for the memory of a result of the entry.
void HostEntry::takeResult(unsigned index, Value *bytes) {
  host::ValueAttr value = describe(program.getResults(), index);
  AllocaInst *extents =
      room(i64, std::max<size_t>(value.getDims().size(), 1), "extents");
  for (auto [axis, size] : enumerate(value.getDims())) {
    DimExpr expr = graph::exprOf(size);
    // Extents that are not known yet follow with yield.
    builder.CreateStore(sizes->canEvaluate(expr) ? sizes->evaluate(expr)
                                                 : builder.getInt64(0),
                        builder.CreateConstInBoundsGEP1_64(i64, extents, axis));
  }
  SmallVector<Value *> arguments{
      function->getArg(0),
      builder.getInt64(index),
      result(index),
      builder.getInt32(elementCode(value.getType().getElementType())),
      builder.getInt64(value.getDims().size()),
      extents,
      bytes};
  bool isDonated = false;
  if (std::optional<ArrayRef<int64_t>> pairs = program.getDonations())
    for (unsigned i = 0; i + 1 < pairs->size() && !isDonated; i += 2)
      if ((*pairs)[i] == index) {
        arguments.insert(arguments.begin() + 3, argument((*pairs)[i + 1]));
        isDonated = true;
      }
  Value *data = call(isDonated ? "zenith_result_donated" : "zenith_result",
                     pointerType, arguments);
  failIfNull(data);
  frame->resultData[index] = data;
  frame->results[index] = {data, nullptr};
  if (deviceKernels)
    frame->results[index] = {deviceBuffer(ZENITH_DEVICE_RESULT, index, bytes),
                             builder.getInt64(0)};
}

void HostEntry::takeResults() {
  frame->results.resize(program.getResults().size());
  frame->resultData.resize(program.getResults().size());
  for (unsigned index = 0; index < program.getResults().size(); ++index)
    if (DimExpr bytes = bytesOf(describe(program.getResults(), index));
        sizes->canEvaluate(bytes))
      takeResult(index, sizes->evaluate(bytes));
}

/// Final extents of a result whose size depended on data.
void HostEntry::setExtents(unsigned index) {
  const Extents &extents = frame->yielded[index].extents;
  AllocaInst *array = room(i64, std::max<size_t>(extents.size(), 1), "extents");
  for (auto [axis, size] : enumerate(extents))
    builder.CreateStore(size,
                        builder.CreateConstInBoundsGEP1_64(i64, array, axis));
  call("zenith_result_dims", Type::getVoidTy(context), {result(index), array});
}

void HostEntry::takeArena() {
  Value *bytes = sizes->evaluate(program.getArenaAttr());
  if (isa<ConstantInt>(bytes) && cast<ConstantInt>(bytes)->isZero()) {
    frame->arena.base =
        ConstantPointerNull::get(cast<PointerType>(pointerType));
    frame->arena.offset = deviceKernels ? builder.getInt64(0) : nullptr;
    return;
  }
  if (deviceKernels) {
    frame->arena = {deviceBuffer(ZENITH_DEVICE_ARENA, 0, bytes),
                    builder.getInt64(0)};
    return;
  }
  frame->arena.base =
      call("zenith_arena", pointerType, {function->getArg(0), bytes});
  failIfNull(frame->arena.base);
}

/// Stack arrays and cells of a program's steps.
void HostEntry::prepareFrame() {
  unsigned mostPointers = 1, mostSizes = 1, slots = 0;
  for (mlir::Operation &op : frame->program.getBody().front()) {
    if (auto launchOp = mlir::dyn_cast<host::LaunchOp>(op)) {
      mostPointers =
          std::max<unsigned>(mostPointers, launchOp.getPointers().size());
      mostSizes = std::max<unsigned>(mostSizes, launchOp.getSizes().size());
    }
    op.getAttrDictionary().walk([&](host::BufferAttr place) {
      if (place.getKind() == host::BufferKind::slot)
        slots = std::max<unsigned>(slots, place.getIndex() + 1);
    });
  }
  // A device takes a handle and an offset for each.
  frame->pointers =
      room(pointerType, (deviceKernels ? 2 : 1) * mostPointers, "pointers");
  frame->sizeArray = room(i64, mostSizes, "sizes");
  frame->slots.resize(slots);
  frame->deviceCells = deviceCells[frame->program];
  for (unsigned cell = 0; cell < cellsOf(frame->program); ++cell)
    frame->cells.push_back(room(i64, 1, "cell"));
  frame->constants = constants[frame->program];
  frame->yielded.resize(frame->program.getResults().size());
}

} // namespace zenith::pipeline
