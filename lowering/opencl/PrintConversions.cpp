// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types; conditions (i1) have two spellings, 0 or
// 1 as scalars and 0 or -1 in vectors.

#include "lowering/opencl/FunctionPrinter.h"
#include "lowering/opencl/PrintedFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::opencl {

static bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

/// Reads x as unsigned.
static std::string unsignedOf(const std::string &x, Type element,
                              unsigned lanes) {
  std::string type = unsignedName(element, lanes);
  return lanes == 1 ? "(" + type + ")" + x : "as_" + type + "(" + x + ")";
}

static std::string fromCondition(Operation *op, const std::string &x,
                                 const std::string &type, unsigned lanes) {
  bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op);
  if (lanes == 1)
    return "(" + type + ")" + (isSigned ? "(-" + x + ")" : x);
  return "convert_" + type + "(" + (isSigned ? x : x + " & 1") + ")";
}

/// Expression of a conversion; empty where there is none.
static std::string conversion(PrintedFunctions &shared, Operation *op,
                              const std::string &x, Type from, Type to,
                              unsigned lanes) {
  std::string type = typeName(to, lanes), ufrom = unsignedOf(x, from, lanes);
  using Result = std::string;
  auto signedFromUnsigned = [&](const std::string &value) {
    std::string wide = unsignedName(to, lanes);
    return lanes == 1 ? "(" + type + ")(" + wide + ")(" + value + ")"
                      : "as_" + type + "(convert_" + wide + "(" + value + "))";
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::SIToFPOp,
            arith::FPToSIOp>([&](auto) { return convert(x, type, lanes); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto) { return signedFromUnsigned(ufrom); })
      .Case([&](arith::TruncIOp) { return convert(x, type, lanes); })
      .Case([&](arith::UIToFPOp) { return convert(ufrom, type, lanes); })
      .Case([&](arith::FPToUIOp) { return signedFromUnsigned(x); })
      .Case([&](arith::ExtFOp) -> Result {
        if (!isHalf(from))
          return from.isF32() ? convert(x, type, lanes) : Result();
        Result wide = shared.widen(from, lanes) + "(" + x + ")";
        return to.isF32() ? wide : convert(wide, type, lanes);
      })
      .Case([&](arith::TruncFOp) -> Result {
        if (to.isF32())
          return convert(x, type, lanes);
        // From f64 the value would be rounded twice.
        if (!isHalf(to) || !from.isF32())
          return Result();
        return shared.narrow(to, lanes) + "(" + x + ")";
      })
      .Default(Result());
}

bool FunctionPrinter::printConversion(Operation *op) {
  if (isa<arith::BitcastOp, vector::BitCastOp>(op))
    return printBitcast(op), true;
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
           arith::IndexCastUIOp, arith::SIToFPOp, arith::UIToFPOp,
           arith::FPToSIOp, arith::FPToUIOp, arith::ExtFOp, arith::TruncFOp>(
          op))
    return false;
  Value source = op->getOperand(0), result = op->getResult(0);
  Type from = getElementTypeOrSelf(source.getType());
  Type to = getElementTypeOrSelf(result.getType());
  bool intoNarrow = isa<arith::SIToFPOp, arith::UIToFPOp>(op) && isHalf(to);
  bool outOfNarrow = isa<arith::FPToSIOp, arith::FPToUIOp>(op) && isHalf(from);
  bool intoCondition =
      to.isInteger(1) && !isa<arith::TruncIOp, arith::IndexCastOp>(op);
  if (intoNarrow || outOfNarrow || intoCondition ||
      (!from.isInteger(1) && !to.isInteger(1) &&
       conversion(shared, op, "x", from, to, 1).empty()))
    return unsupported(op, "between these types is not printed as OpenCL C"),
           true;
  defineEach(result, [&](unsigned chunk, unsigned lanes) {
    const std::string &x = use(source, chunk);
    if (from.isInteger(1))
      return fromCondition(op, x, typeName(to, lanes), lanes);
    if (to.isInteger(1)) {
      std::string one = "(" + typeName(from, lanes) + ")(1)";
      return asMask("(" + x + " & " + one + ") != (" + typeName(from, lanes) +
                        ")(0)",
                    from, lanes);
    }
    return conversion(shared, op, x, from, to, lanes);
  });
  return true;
}

void FunctionPrinter::printBitcast(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  Type to = getElementTypeOrSelf(result.getType());
  auto fromWidths = chunkLanes(source.getType());
  auto toWidths = chunkLanes(result.getType());
  bool sameLanes = laneCount(source.getType()) == laneCount(result.getType());
  bool single = fromWidths.size() == 1 && toWidths.size() == 1;
  if ((!sameLanes && !single) ||
      getElementTypeOrSelf(source.getType()).isInteger(1))
    return unsupported(op, "between these types is not printed as OpenCL C");
  defineEach(result, [&](unsigned chunk, unsigned lanes) {
    return "as_" + typeName(to, lanes) + "(" + use(source, chunk) + ")";
  });
}

} // namespace zenith::opencl
