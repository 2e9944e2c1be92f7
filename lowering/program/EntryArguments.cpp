// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and checks the arguments' types and dimensions.

#include "lowering/program/EntryArguments.h"

#include "ir/tensor/Tensor.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;

DimExpr bytesOf(host::ValueAttr value) {
  DimExpr bytes(int64_t(elementBytes(value.getType().getElementType())));
  for (mlir::Attribute size : value.getDims())
    bytes = bytes * graph::exprOf(size);
  return bytes;
}

Value *EntryArguments::dimension(unsigned index, unsigned axis) {
  Value *dims = code.field(code.argument(index), offsetof(zenith_tensor, dims),
                           pointerType);
  return code.field(dims, axis * sizeof(int64_t), i64);
}

void EntryArguments::check() {
  Value *run = code.run();
  code.failUnlessOK(code.call(
      "zenith_check_counts", i32,
      {run, code.argumentCount(),
       builder.getInt64(code.program.getArguments().size()), code.resultCount(),
       builder.getInt64(code.program.getResults().size())}));
  for (unsigned index = 0; index < code.program.getArguments().size();
       ++index) {
    host::ValueAttr value = valueAt(code.program.getArguments(), index);
    SmallVector<int64_t> shape;
    for (int64_t size : value.getType().getShape())
      shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    Value *dims = code.nullPointer();
    if (!shape.empty()) {
      Constant *bytes = ConstantDataArray::get(context, shape);
      dims = new GlobalVariable(code.module, bytes->getType(), true,
                                GlobalValue::PrivateLinkage, bytes);
    }
    code.failUnlessOK(
        code.call("zenith_check_arg", i32,
                  {run, builder.getInt64(index), code.text(value.getName()),
                   code.argument(index),
                   builder.getInt32(
                       kernels::elementCode(value.getType().getElementType())),
                   builder.getInt64(shape.size()), dims}));
  }
}

Value *extended(IRBuilder<> &builder, Value *scalar, mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  if (scalar->getType() != builder.getInt64Ty())
    scalar = isUnsigned ? builder.CreateZExt(scalar, builder.getInt64Ty())
                        : builder.CreateSExt(scalar, builder.getInt64Ty());
  return scalar;
}

void EntryArguments::bindScalars() {
  mlir::ArrayAttr names = code.program.getScalarsAttr();
  for (unsigned index = 0; names && index < names.size(); ++index) {
    StringRef name = cast<mlir::StringAttr>(names[index]).getValue();
    if (name.empty())
      continue;
    mlir::Type type =
        valueAt(code.program.getArguments(), index).getType().getElementType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value *data = code.field(code.argument(index),
                             offsetof(zenith_tensor, data), pointerType);
    Value *scalar =
        builder.CreateLoad(builder.getIntNTy(width < 8 ? 8 : width), data);
    sizes.bind(name, extended(builder, scalar, type));
  }
}

/// Binds the one unknown symbol of `expr` if the expression is linear in it:
/// "past + seq" gives seq where past is known.
bool EntryArguments::solveDimension(const DimExpr &expr, Value *actual) {
  std::string unknown;
  bool several = false;
  expr.forEachSymbol([&](const std::string &name) {
    if (sizes.isBound(name))
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
    else if (sizes.canEvaluate(term))
      rest = rest + term * DimExpr(factor);
    else
      return false;
  }
  if (coefficient == 0)
    return false;
  // Where this leaves a remainder or is negative, the check of the dimension
  // fails afterwards.
  Value *difference = builder.CreateSub(actual, sizes.evaluate(rest));
  sizes.bind(unknown,
             builder.CreateSDiv(difference, builder.getInt64(coefficient)));
  return true;
}

void EntryArguments::checkDimension(unsigned index, unsigned axis,
                                    const DimExpr &expr) {
  Value *actual = dimension(index, axis), *expected = sizes.evaluate(expr);
  BasicBlock *bad = code.block(), *next = code.block();
  builder.CreateCondBr(builder.CreateICmpEQ(actual, expected), next, bad);
  builder.SetInsertPoint(bad);
  code.fail(
      code.call("zenith_fail_dim", i32,
                {code.run(), builder.getInt64(index), builder.getInt64(axis),
                 actual, expected, code.text(expr.str())}));
  builder.SetInsertPoint(next);
}

llvm::Error EntryArguments::bindSymbols() {
  struct Open {
    unsigned argument, axis;
    DimExpr expr;
  };
  std::vector<Open> open, checks;
  for (unsigned index = 0; index < code.program.getArguments().size(); ++index)
    for (auto [axis, attr] :
         enumerate(valueAt(code.program.getArguments(), index).getDims())) {
      DimExpr expr = graph::exprOf(attr);
      std::optional<std::string> name = expr.asSymbol();
      if (expr.constant())
        continue;
      if (name && !sizes.isBound(*name))
        sizes.bind(*name, dimension(index, axis));
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
    if (!sizes.canEvaluate(entry.expr))
      return createStringError(inconvertibleErrorCode(),
                               "the dimensions of the arguments of " +
                                   code.program.getSymName() +
                                   " don't determine " + entry.expr.str());
  // Only symbols that were solved for can be negative.
  for (const Open &entry : checks) {
    entry.expr.forEachSymbol([&](const std::string &name) {
      code.failIf(builder.CreateICmpSLT(sizes.evaluate(DimExpr::symbol(name)),
                                        builder.getInt64(0)),
                  ZENITH_INVALID_INPUT,
                  "dimension " + name + " would be negative");
    });
    checkDimension(entry.argument, entry.axis, entry.expr);
  }
  bindScalars();
  return llvm::Error::success();
}

void EntryArguments::load() {
  std::vector<bool> used(code.program.getArguments().size());
  for (mlir::Operation &op : code.program.getBody().front())
    op.getAttrDictionary().walk([&](host::BufferAttr buffer) {
      if (buffer.getKind() == host::BufferKind::argument)
        used[buffer.getIndex()] = true;
    });
  code.frame->arguments.resize(used.size());
  for (unsigned index = 0; index < used.size(); ++index)
    if (used[index]) {
      Value *data = code.call(
          "zenith_arg_data", pointerType,
          {code.run(), builder.getInt64(index), code.argument(index)});
      code.failIfNull(data);
      code.frame->arguments[index].base = data;
    }
}

void EntryArguments::upload() {
  for (unsigned index = 0; index < code.frame->arguments.size(); ++index) {
    Value *data = code.frame->arguments[index].base;
    if (!data)
      continue;
    Value *bytes =
        sizes.evaluate(bytesOf(valueAt(code.program.getArguments(), index)));
    code.frame->arguments[index] =
        buffers.deviceBuffer(ZENITH_DEVICE_ARGUMENT, index, bytes);
    buffers.upload(index, code.frame->arguments[index], data, bytes);
  }
}

} // namespace zenith::pipeline
