// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that printed kernels call where an op takes more than an
// expression; each is written once per program, when first asked for.

#ifndef ZENITH_LOWERING_OPENCL_PRINTEDFUNCTIONS_H
#define ZENITH_LOWERING_OPENCL_PRINTEDFUNCTIONS_H

#include "lowering/opencl/PrintedTypes.h"
#include "llvm/ADT/StringSet.h"

namespace zenith::opencl {

/// Every method gives the name of a function. Lanes are those of a chunk.
class PrintedFunctions {
public:
  /// float(bits) of f16 or bf16, exactly.
  std::string widen(mlir::Type narrow, unsigned lanes);
  /// bits(float) of f16 or bf16: to nearest even, in integers, so that no
  /// device's own rules show.
  std::string narrow(mlir::Type narrow, unsigned lanes);
  /// x, y -> the larger or smaller; NaN if one is, -0 below +0.
  std::string extremum(bool larger, mlir::Type element, unsigned lanes);
  /// x, y -> the remainder of truncated division in f64, exactly: libraries of
  /// devices give other numbers where lanes of a vector differ much.
  std::string doubleRemainder(unsigned lanes);
  /// Which lanes an access may touch: the first `long count`, or those of a
  /// mask.
  enum class Lanes { First, Masked };
  /// (pointer, lanes, other) -> vector.
  std::string load(Space space, mlir::Type element, unsigned lanes, Lanes kind);
  /// (pointer, lanes, value).
  std::string store(Space space, mlir::Type element, unsigned lanes,
                    Lanes kind);
  /// (pointer, index, mask, other) -> vector.
  std::string gather(Space space, mlir::Type element, unsigned lanes);
  /// (pointer, index, mask, value).
  std::string scatter(Space space, mlir::Type element, unsigned lanes);

  /// All functions that were asked for.
  const std::string &text() const { return written; }

private:
  std::string add(const std::string &name, const std::string &head,
                  const std::string &body);
  llvm::StringSet<> known;
  std::string written;
};

} // namespace zenith::opencl

#endif // ZENITH_LOWERING_OPENCL_PRINTEDFUNCTIONS_H
