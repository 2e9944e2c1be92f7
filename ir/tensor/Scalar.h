// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of any type: its value, and how it is read and written.

#ifndef ZENITH_IR_TENSOR_SCALAR_H
#define ZENITH_IR_TENSOR_SCALAR_H

#include "ir/tensor/SmallFloat.h"
#include "ir/tensor/Tensor.h"
#include <cstdint>
#include <string>

namespace zenith::interpreter {

/// The value of an element, without loss: integers in 64 bits, floats as
/// double.
struct Scalar {
  enum class Kind { Signed, Unsigned, Float, Complex };
  Kind kind = Kind::Signed;
  int64_t integer = 0; ///< bits of an unsigned value
  double real = 0, imag = 0;

  static Scalar ofSigned(int64_t value);
  static Scalar ofUnsigned(uint64_t value);
  static Scalar ofFloat(double value);
  static Scalar ofComplex(double real, double imag);

  bool isInteger() const {
    return kind == Kind::Signed || kind == Kind::Unsigned;
  }
  bool isNonZero() const;
  /// The value, or its real part, as a double (rounded beyond 2^53).
  double asDouble() const;
  /// The integer; a float truncates, NaN gives 0, and values beyond int64_t
  /// saturate.
  int64_t asInt64() const;
  /// Equal values; NaN equals NaN.
  bool sameValue(const Scalar &other) const;
  std::string str() const;
};

/// Reads and writes elements of one type; a write converts as graph.convert
/// says.
class ElementAccess {
public:
  explicit ElementAccess(mlir::Type element);
  Scalar load(const char *from) const;
  void store(char *to, const Scalar &value, bool saturate = false) const;
  unsigned bytes() const { return size; }

private:
  enum class Code { Bool, Signed, Unsigned, F32, F64, Small, C64, C128 };
  int64_t integerFor(const Scalar &value) const;
  void storeInteger(char *to, int64_t bits) const;
  Code code;
  unsigned width = 0, size = 0;
  SmallFloat small{};
};

/// Element number `index` in row-major order.
Scalar elementAt(const Tensor &tensor, int64_t index);

} // namespace zenith::interpreter

#endif // ZENITH_IR_TENSOR_SCALAR_H
