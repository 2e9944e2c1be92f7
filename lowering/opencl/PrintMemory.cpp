// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and local arrays. Vectors go through vloadN and vstoreN, which
// ask for the alignment of an element only.

#include "lowering/opencl/FunctionPrinter.h"
#include "lowering/opencl/PrintedFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::opencl {

Space FunctionPrinter::spaceOf(Value memref) { return spaces.lookup(memref); }

std::string FunctionPrinter::address(Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  std::string offset;
  for (auto [axis, index] : llvm::enumerate(indices))
    offset = axis == 0 ? use(index)
                       : "(" + offset + ") * " +
                             std::to_string(type.getDimSize(axis)) + " + " +
                             use(index);
  if (offset.empty() || offset == "0L")
    return use(memref);
  return use(memref) + " + " + offset;
}

static std::string plusLanes(const std::string &address, unsigned lanes) {
  return lanes ? address + " + " + std::to_string(lanes) : address;
}

/// Conditions are bytes in memory.
static std::string fromMemory(const std::string &value, Type element,
                              unsigned lanes) {
  if (!element.isInteger(1))
    return value;
  return lanes == 1
             ? "(int)(" + value + ")"
             : "-convert_int" + std::to_string(lanes) + "(" + value + ")";
}

static std::string toMemory(const std::string &value, Type element,
                            unsigned lanes) {
  if (!element.isInteger(1))
    return value;
  return lanes == 1
             ? "(char)(" + value + ")"
             : "convert_char" + std::to_string(lanes) + "(" + value + " & 1)";
}

static std::string loadText(const std::string &at, Type element,
                            unsigned lanes) {
  return fromMemory(lanes == 1
                        ? "*(" + at + ")"
                        : "vload" + std::to_string(lanes) + "(0, " + at + ")",
                    element, lanes);
}

static std::string storeText(const std::string &at, const std::string &value,
                             Type element, unsigned lanes) {
  std::string stored = toMemory(value, element, lanes);
  if (lanes == 1)
    return "*(" + at + ") = " + stored + ";";
  return "vstore" + std::to_string(lanes) + "(" + stored + ", 0, " + at + ");";
}

bool FunctionPrinter::printMemory(Operation *op) {
  auto load = [&](Value memref, ValueRange indices) {
    std::string at = address(memref, indices);
    unsigned first = 0;
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    defineEach(op->getResult(0), [&](unsigned, unsigned lanes) {
      std::string text = loadText(plusLanes(at, first), element, lanes);
      first += lanes;
      return text;
    });
    return true;
  };
  auto store = [&](Value value, Value memref, ValueRange indices) {
    std::string at = address(memref, indices);
    unsigned first = 0;
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    for (auto [chunk, lanes] : llvm::enumerate(chunkLanes(value.getType()))) {
      line(storeText(plusLanes(at, first), use(value, chunk), element, lanes));
      first += lanes;
    }
    return true;
  };
  auto sameMemory = [&](Value from, Value to) {
    named[to] = named[from];
    spaces[to] = spaces[from];
    return true;
  };
  auto alloca = [&](memref::AllocaOp alloca) {
    MemRefType type = alloca.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return unsupported(op, "of a run-time size is not printed as OpenCL C"),
             true;
    std::string name = freshName();
    std::string align = alloca.getAlignment()
                            ? " __attribute__((aligned(" +
                                  std::to_string(*alloca.getAlignment()) + ")))"
                            : std::string();
    line(memoryName(type.getElementType()) + " " + name + "[" +
         std::to_string(std::max<int64_t>(type.getNumElements(), 1)) + "]" +
         align + ";");
    named[alloca] = {name};
    spaces[alloca] = Space::Private;
    return true;
  };
  auto reinterpretCast = [&](memref::ReinterpretCastOp cast) {
    bool atStart = cast.getOffsets().empty() &&
                   llvm::all_equal(cast.getStaticOffsets()) &&
                   cast.getStaticOffsets().front() == 0;
    if (!atStart)
      return unsupported(op, "with an offset is not printed as OpenCL C"), true;
    return sameMemory(cast.getSource(), cast.getResult());
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](memref::LoadOp access) {
        return load(access.getMemRef(), access.getIndices());
      })
      .Case([&](vector::LoadOp access) {
        return load(access.getBase(), access.getIndices());
      })
      .Case([&](memref::StoreOp access) {
        return store(access.getValue(), access.getMemRef(),
                     access.getIndices());
      })
      .Case([&](vector::StoreOp access) {
        return store(access.getValueToStore(), access.getBase(),
                     access.getIndices());
      })
      .Case(alloca)
      .Case(reinterpretCast)
      .Case<memref::CastOp, memref::MemorySpaceCastOp>([&](auto cast) {
        return sameMemory(cast.getSource(), cast.getResult());
      })
      .Case([&](UnrealizedConversionCastOp cast) {
        if (cast.getNumOperands() != 1 || cast.getNumResults() != 1 ||
            !isa<MemRefType>(cast.getOperand(0).getType()) ||
            !isa<MemRefType>(cast.getResult(0).getType()))
          return false;
        return sameMemory(cast.getOperand(0), cast.getResult(0));
      })
      // A hint that the device may ignore.
      .Case([&](memref::PrefetchOp) { return true; })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
            vector::ScatterOp>([&](auto) {
        printMaskedAccess(op);
        return true;
      })
      .Default(false);
}

// ---- Masked accesses ----

void FunctionPrinter::printMaskedAccess(Operation *op) {
  bool gather = isa<vector::GatherOp>(op), scatter = isa<vector::ScatterOp>(op);
  bool indexed = gather || scatter;
  bool reads = gather || isa<vector::MaskedLoadOp>(op);
  Value base, mask, value, positions;
  OperandRange indices = op->getOperands();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::MaskedLoadOp op) { value = op.getPassThru(); })
      .Case([&](vector::MaskedStoreOp op) { value = op.getValueToStore(); })
      .Case([&](vector::GatherOp op) { value = op.getPassThru(); })
      .Case([&](vector::ScatterOp op) { value = op.getValueToStore(); });
  llvm::TypeSwitch<Operation *>(op)
      .Case<vector::GatherOp, vector::ScatterOp>(
          [&](auto op) { positions = op.getIndexVec(); })
      .Default([](Operation *) {});
  llvm::TypeSwitch<Operation *>(op)
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
            vector::ScatterOp>([&](auto op) {
        base = op.getBase();
        mask = op.getMask();
        indices = op.getIndices();
      });
  auto memory = dyn_cast<MemRefType>(base.getType());
  if (!memory)
    return unsupported(op, "of a tensor is not printed as OpenCL C");
  Type element = memory.getElementType();
  std::string at = address(base, indices);
  Space space = spaceOf(base);
  Value count = maskCounts.lookup(mask);
  unsigned first = 0;
  auto access = [&](unsigned chunk, unsigned lanes) -> std::string {
    unsigned skipped = first;
    first += lanes;
    std::string here = indexed ? at : plusLanes(at, skipped);
    std::string contents = toMemory(use(value, chunk), element, lanes);
    if (lanes == 1) {
      std::string where =
          "(" + here + (indexed ? " + " + use(positions, chunk) : "") + ")";
      const std::string &on = use(mask, chunk);
      return reads ? fromMemory(on + " ? *" + where + " : " + contents, element,
                                lanes)
                   : "if (" + on + ") *" + where + " = " + contents;
    }
    using Lanes = PrintedFunctions::Lanes;
    Lanes kind = count && !indexed ? Lanes::First : Lanes::Masked;
    std::string function = gather    ? shared.gather(space, element, lanes)
                           : scatter ? shared.scatter(space, element, lanes)
                           : reads   ? shared.load(space, element, lanes, kind)
                                   : shared.store(space, element, lanes, kind);
    std::string lanesText =
        kind == Lanes::First
            ? use(count) + (skipped ? " - " + std::to_string(skipped) : "")
            : use(mask, chunk);
    std::string text = function + "(" + here + ", ";
    if (indexed) {
      Type index = getElementTypeOrSelf(positions.getType());
      const std::string &vector = use(positions, chunk);
      text += (laneBits(index) == 64 ? vector
                                     : "convert_long" + std::to_string(lanes) +
                                           "(" + vector + ")") +
              ", ";
    }
    text += lanesText + ", " + contents + ")";
    return reads ? fromMemory(text, element, lanes) : text;
  };
  if (reads)
    return defineEach(op->getResult(0), access);
  for (auto [chunk, lanes] : llvm::enumerate(chunkLanes(value.getType())))
    line(access(chunk, lanes) + ";");
}

} // namespace zenith::opencl
