// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed ops against the same ops compiled for the host: equal bytes, for
// every width of vector.

#include "lowering/opencl/EmitOpenCL.h"

#include "tests/lowering/opencl/DeviceAndHost.h"
#include <cmath>
#include <limits>

using namespace zenith::opencl;

namespace {

std::string replaceAll(std::string text, const std::string &what,
                       const std::string &by) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// y[i] = BODY(a[i], b[i]) with %a, %b of type IN and %r of type OUT, W lanes
/// (1 = scalars), one task.
std::string mapKernel(const std::string &body, const std::string &in,
                      const std::string &out, unsigned lanes) {
  std::string text = R"(
  func.func @map(%pa: memref<1099511627776xIN>, %pb: memref<1099511627776xIN>, %pr: memref<1099511627776xOUT>, %begin: index, %end: index) {
    %step = arith.constant W : index
    %c1 = arith.constant 1 : index
    scf.for %task = %begin to %end step %c1 {
      %at = arith.muli %task, %step overflow<nsw> : index
      %a = LOADIN %pa[%at] : memref<1099511627776xIN>INV
      %b = LOADIN %pb[%at] : memref<1099511627776xIN>INV
      BODY
      STOREOUT %r, %pr[%at] : memref<1099511627776xOUT>OUTV
    }
    return
  })";
  bool scalar = lanes == 1;
  std::string n = std::to_string(lanes);
  auto vector = [&](const std::string &element) {
    return scalar ? element : "vector<" + n + "x" + element + ">";
  };
  text = replaceAll(text, "BODY", body);
  // Types inside the body: $IN, $OUT, $I1, $I32 and so on.
  for (const char *element :
       {"i1", "i8", "i16", "i32", "i64", "f32", "f64", "index", "bf16", "f16"})
    text = replaceAll(text, std::string("$") + element + "$", vector(element));
  text = replaceAll(text, "$IN", vector(in));
  text = replaceAll(text, "$OUT", vector(out));
  text = replaceAll(text, "INV", scalar ? "" : ", " + vector(in));
  text = replaceAll(text, "OUTV", scalar ? "" : ", " + vector(out));
  text = replaceAll(text, "LOADIN", scalar ? "memref.load" : "vector.load");
  text = replaceAll(text, "STOREOUT", scalar ? "memref.store" : "vector.store");
  text = replaceAll(text, "xIN>", "x" + in + ">");
  text = replaceAll(text, "xOUT>", "x" + out + ">");
  return replaceAll(text, "constant W", "constant " + n);
}

/// 96 numbers with all kinds of signs and sizes.
template <typename T> std::vector<T> someNumbers(uint64_t seed) {
  std::vector<T> numbers;
  uint64_t state = seed;
  for (int i = 0; i < 96; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = state >> 20;
    if constexpr (std::is_floating_point_v<T>)
      numbers.push_back(std::ldexp(T(bits % 4096) / 1024 - 2, bits % 24 - 12));
    else
      numbers.push_back(T(i % 3 == 0 ? bits : bits % 7 - 3));
  }
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    T special[] = {0,
                   -T(0),
                   Limits::infinity(),
                   -Limits::infinity(),
                   Limits::quiet_NaN(),
                   Limits::denorm_min(),
                   Limits::max(),
                   T(-0.5),
                   T(2.5)};
    for (size_t i = 0; i < std::size(special); ++i)
      numbers[(seed % 5) * 7 + i] = special[i];
  }
  return numbers;
}

class PrintedOps : public DeviceAndHost {
protected:
  template <typename In, typename Out>
  void check(const std::string &body, const std::string &in,
             const std::string &out, bool scalar = true) {
    std::vector<In> a = someNumbers<In>(1), b = someNumbers<In>(7);
    checkOn<In, Out>(body, in, out, a, b, scalar);
  }
  template <typename In, typename Out>
  void checkOn(const std::string &body, const std::string &in,
               const std::string &out, std::vector<In> a, std::vector<In> b,
               bool scalar = true) {
    for (unsigned lanes : {1, 12, 32}) {
      if (lanes == 1 && !scalar)
        continue;
      SCOPED_TRACE(body + " on " + in + ", " + std::to_string(lanes));
      expectSame(mapKernel(body, in, out, lanes),
                 {bytesOf(a), bytesOf(b), bytesOf(std::vector<Out>(a.size()))},
                 {}, a.size() / lanes);
    }
  }
};

TEST_F(PrintedOps, FloatArithmeticIsBitEqual) {
  std::string body = R"(
    %s = arith.addf %a, %b : $f32$
    %p = arith.mulf %s, %a : $f32$
    %q = arith.divf %p, %b : $f32$
    %n = arith.negf %q : $f32$
    %f = math.fma %n, %a, %b : $f32$
    %abs = math.absf %f : $f32$
    %sq = math.sqrt %abs : $f32$
    %fl = math.floor %sq : $f32$
    %d = arith.subf %sq, %fl : $f32$
    %r = math.copysign %d, %b : $f32$)";
  auto a = someNumbers<float>(1), b = someNumbers<float>(7);
  for (auto *numbers : {&a, &b})
    for (float &number : *numbers)
      // Which NaN comes out of an operation is the device's choice.
      if (!std::isfinite(number) || number == 0 || std::fabs(number) > 1e30f)
        number = 3.25f;
  checkOn<float, float>(body, "f32", "f32", a, b);
}

TEST_F(PrintedOps, FloatExtremaTreatNaNAndZero) {
  // Compared as "is NaN" and value, since NaN has many bits.
  for (const char *op :
       {"arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"}) {
    bool signsCount = std::string(op).find("num") == std::string::npos;
    auto a = someNumbers<float>(1), b = someNumbers<float>(7);
    if (!signsCount)
      for (float &number : a)
        number = number == 0 ? 1 : number;
    checkOn<float, float>("%m = " + std::string(op) + R"( %a, %b : $f32$
      %nan = arith.cmpf une, %m, %m : $f32$
      %r = arith.select %nan, %b, %m : $i1$, $f32$)",
                          "f32", "f32", a, b, false);
  }
}

/// %r = one bit per predicate of `compare` %a, %b, as $OUT.
std::string allPredicates(const std::string &compare,
                          const std::vector<const char *> &predicates) {
  std::string body = "%s0 = arith.subi %n, %n : $OUT\n"
                     "%two = arith.addi %n, %n : $OUT\n";
  for (size_t k = 0; k < predicates.size(); ++k) {
    std::string n = std::to_string(k), next = std::to_string(k + 1);
    body += "%is" + n + " = " + compare + " " + predicates[k] +
            ", %a, %b : $IN\n%x" + n + " = arith.extui %is" + n +
            " : $i1$ to $OUT\n%d" + n + " = arith.muli %s" + n +
            ", %two : $OUT\n%s" + next + " = arith.addi %d" + n + ", %x" + n +
            " : $OUT\n";
  }
  std::string last = std::to_string(predicates.size());
  return body + "%r = arith.addi %s" + last + ", %s0 : $OUT";
}

TEST_F(PrintedOps, FloatComparisons) {
  std::string body =
      allPredicates("arith.cmpf", {"oeq", "ogt", "oge", "olt", "ole", "one",
                                   "ord", "ueq", "ugt", "uge", "ult", "ule",
                                   "une", "uno", "true", "false"});
  std::string one = "%t = arith.cmpi eq, %z, %z : $OUT\n"
                    "%n = arith.extui %t : $i1$ to $OUT\n";
  check<float, int32_t>("%z = arith.bitcast %a : $IN to $OUT\n" + one + body,
                        "f32", "i32");
  check<double, int64_t>("%z = arith.bitcast %a : $IN to $OUT\n" + one + body,
                         "f64", "i64");
}

TEST_F(PrintedOps, IntegerArithmeticWraps) {
  std::string body = R"(
    %s = arith.addi %a, %b : $IN
    %d = arith.subi %s, %a : $IN
    %p = arith.muli %a, %s : $IN
    %x = arith.xori %p, %d : $IN
    %n = arith.andi %x, %s : $IN
    %o = arith.ori %n, %b : $IN
    %min = arith.minsi %o, %p : $IN
    %max = arith.maxsi %min, %b : $IN
    %minu = arith.minui %max, %s : $IN
    %r = arith.maxui %minu, %n : $IN)";
  check<int8_t, int8_t>(body, "i8", "i8");
  check<int16_t, int16_t>(body, "i16", "i16");
  check<int32_t, int32_t>(body, "i32", "i32");
  check<int64_t, int64_t>(body, "i64", "i64");
}

TEST_F(PrintedOps, IntegerDivisionAndShifts) {
  std::string body = R"(
    %q = arith.divsi %a, %b : $IN
    %m = arith.remsi %a, %b : $IN
    %uq = arith.divui %a, %b : $IN
    %um = arith.remui %a, %b : $IN
    %left = arith.shli %q, %b : $IN
    %right = arith.shrsi %a, %b : $IN
    %logical = arith.shrui %a, %b : $IN
    %x = arith.xori %left, %right : $IN
    %y = arith.xori %x, %logical : $IN
    %z = arith.addi %uq, %um : $IN
    %w = arith.xori %z, %m : $IN
    %r = arith.addi %w, %y : $IN)";
  auto run = [&](auto zero, const char *type) {
    using T = decltype(zero);
    auto a = someNumbers<T>(1), b = someNumbers<T>(7);
    for (T &number : b)
      number = T(number & 3) + 1;
    checkOn<T, T>(body, type, type, a, b);
  };
  run(int8_t(), "i8");
  run(int32_t(), "i32");
  run(int64_t(), "i64");
}

TEST_F(PrintedOps, IntegerComparisons) {
  std::string body =
      "%t = arith.cmpi eq, %a, %a : $IN\n%n = arith.extui %t : $i1$ to $OUT\n" +
      allPredicates("arith.cmpi", {"eq", "ne", "slt", "sle", "sgt", "sge",
                                   "ult", "ule", "ugt", "uge"});
  check<int8_t, int16_t>(body, "i8", "i16");
  check<int32_t, int64_t>(body, "i32", "i64");
  check<int64_t, int32_t>(body, "i64", "i32");
}

TEST_F(PrintedOps, ConditionsCombine) {
  std::string body = R"(
    %c = arith.cmpi slt, %a, %b : $i32$
    %d = arith.cmpi ugt, %a, %b : $i32$
    %x = arith.xori %c, %d : $i1$
    %y = arith.andi %x, %c : $i1$
    %z = arith.ori %y, %d : $i1$
    %s = arith.select %z, %c, %x : $i1$, $i1$
    %e = arith.cmpi ne, %s, %d : $i1$
    %g = arith.cmpi ugt, %s, %e : $i1$
    %fu = arith.uitofp %g : $i1$ to $f32$
    %fs = arith.sitofp %e : $i1$ to $f32$
    %t = arith.trunci %a : $i32$ to $i1$
    %ft = arith.uitofp %t : $i1$ to $f32$
    %sum = arith.addf %fu, %fs : $f32$
    %r = arith.select %s, %sum, %ft : $i1$, $f32$)";
  check<int32_t, float>(body, "i32", "f32");
}

TEST_F(PrintedOps, SelectsEveryWidth) {
  std::string body = R"(
    %c = arith.cmpi slt, %a, %b : $IN
    %r = arith.select %c, %b, %a : $i1$, $IN)";
  check<int8_t, int8_t>(body, "i8", "i8");
  check<int16_t, int16_t>(body, "i16", "i16");
  check<int64_t, int64_t>(body, "i64", "i64");
}

TEST_F(PrintedOps, WideProducts) {
  std::string body = R"(
    %low, %high = arith.mului_extended %a, %b : $i32$
    %slow, %shigh = arith.mulsi_extended %a, %b : $i32$
    %sum, %carry = arith.addui_extended %a, %b : $i32$, $i1$
    %c = arith.extui %carry : $i1$ to $i32$
    %x = arith.xori %high, %shigh : $i32$
    %y = arith.addi %x, %c : $i32$
    %r = arith.addi %y, %low : $i32$)";
  check<int32_t, int32_t>(body, "i32", "i32");
}

/// Lanes whose quotients differ much stand beside each other, and those that
/// have no remainder: which NaN that is, devices choose.
TEST_F(PrintedOps, RemaindersAreExact) {
  std::string body = R"(
    %q = arith.remf %a, %b : $IN
    %n = arith.cmpf uno, %q, %q : $IN
    %r = arith.select %n, %b, %q : $i1$, $IN)";
  check<float, float>(body, "f32", "f32");
  auto a = someNumbers<double>(1), b = someNumbers<double>(7);
  using Limits = std::numeric_limits<double>;
  double large[] = {Limits::max(), 4.3, Limits::max(), 1e300, -7.2, 0};
  double small[] = {
      Limits::denorm_min(), -2.1, Limits::min() * 3 / 4, 1e-300, 3.4, 0};
  std::copy(std::begin(large), std::end(large), a.end() - 8);
  std::copy(std::begin(small), std::end(small), b.end() - 8);
  checkOn<double, double>(body, "f64", "f64", a, b);
}

TEST_F(PrintedOps, IntegersConvert) {
  check<int8_t, int32_t>("%r = arith.extsi %a : $i8$ to $i32$", "i8", "i32");
  check<int8_t, int64_t>("%r = arith.extui %a : $i8$ to $i64$", "i8", "i64");
  check<int64_t, int8_t>("%r = arith.trunci %a : $i64$ to $i8$", "i64", "i8");
  check<int32_t, float>("%r = arith.sitofp %a : $i32$ to $f32$", "i32", "f32");
  check<int32_t, float>("%r = arith.uitofp %a : $i32$ to $f32$", "i32", "f32");
  check<int64_t, float>("%r = arith.uitofp %a : $i64$ to $f32$", "i64", "f32");
  check<int8_t, double>("%r = arith.uitofp %a : $i8$ to $f64$", "i8", "f64");
  check<int32_t, int32_t>(R"(%i = arith.index_cast %a : $i32$ to $index$
    %j = arith.addi %i, %i : $index$
    %r = arith.index_cast %j : $index$ to $i32$)",
                          "i32", "i32");
}

TEST_F(PrintedOps, FloatsConvertToIntegersAndBits) {
  auto a = someNumbers<float>(1);
  for (float &number : a)
    number = std::isfinite(number) && std::fabs(number) < 1e9 ? number : 17.75f;
  checkOn<float, int32_t>("%r = arith.fptosi %a : $f32$ to $i32$", "f32", "i32",
                          a, a);
  for (float &number : a)
    number = std::fmod(std::fabs(number), 250);
  checkOn<float, int8_t>("%r = arith.fptoui %a : $f32$ to $i8$", "f32", "i8", a,
                         a);
  check<float, int32_t>("%r = arith.bitcast %a : $f32$ to $i32$", "f32", "i32");
  check<float, double>("%r = arith.extf %a : $f32$ to $f64$", "f32", "f64");
  auto d = someNumbers<double>(1);
  checkOn<double, float>("%r = arith.truncf %a : $f64$ to $f32$", "f64", "f32",
                         d, d);
}

/// Every half and every brain float, there and back.
TEST_F(PrintedOps, NarrowFloatsConvert) {
  for (const char *type : {"f16", "bf16"}) {
    std::vector<uint16_t> all(65536);
    std::vector<float> expected;
    bool brain = std::string(type) == "bf16";
    for (uint32_t i = 0; i < all.size(); ++i) {
      all[i] = i;
      uint32_t exponent = i >> 10 & 31, mantissa = i & 1023;
      float value = std::ldexp(float(mantissa | (exponent ? 1024 : 0)),
                               int(std::max(exponent, 1u)) - 25);
      if (exponent == 31)
        value = mantissa ? NAN : INFINITY;
      uint32_t bits = i << 16;
      if (brain)
        std::memcpy(&value, &bits, 4);
      expected.push_back(!brain && (i & 0x8000) ? -value : value);
    }
    auto kernels =
        parse(mapKernel("%r = arith.extf %a : $IN to $f32$", type, "f32", 16));
    std::vector<Bytes> buffers = {bytesOf(all), bytesOf(all), Bytes(65536 * 4)};
    runOnDevice(*kernels, buffers, {}, 65536 / 16);
    auto wide = valuesOf<float>(buffers[2]);
    for (size_t i = 0; i < wide.size(); ++i)
      ASSERT_TRUE(std::isnan(expected[i])
                      ? std::isnan(wide[i])
                      : wide[i] == expected[i] &&
                            std::signbit(wide[i]) == std::signbit(expected[i]))
          << type << " " << i;
    // Numbers, their midpoints and neighbours of midpoints round back.
    std::vector<float> inputs;
    std::vector<uint16_t> rounded;
    for (uint32_t i = 0; i < 0x7c00; ++i) {
      float low = expected[i], high = expected[i + 1];
      if (!std::isfinite(high))
        break;
      float middle = low + (high - low) / 2;
      for (float x : {low, middle, std::nextafter(middle, low),
                      std::nextafter(middle, high)}) {
        inputs.push_back(x);
        rounded.push_back(x < middle || (x == middle && i % 2 == 0) ? i
                                                                    : i + 1);
      }
    }
    for (float x : {1e30f, 65520.0f, 65519.0f})
      if (!brain) {
        inputs.push_back(x);
        rounded.push_back(x < 65520 ? 0x7bff : 0x7c00);
      }
    inputs.push_back(-INFINITY);
    rounded.push_back(brain ? 0xff80 : 0xfc00);
    while (inputs.size() % 16) {
      inputs.push_back(NAN);
      rounded.push_back(brain ? 0x7fc0 : 0x7e00);
    }
    kernels = parse(
        mapKernel("%r = arith.truncf %a : $f32$ to $OUT", "f32", type, 16));
    buffers = {bytesOf(inputs), bytesOf(inputs), Bytes(inputs.size() * 2)};
    runOnDevice(*kernels, buffers, {}, inputs.size() / 16);
    auto narrow = valuesOf<uint16_t>(buffers[2]);
    for (size_t i = 0; i < narrow.size(); ++i)
      ASSERT_EQ(narrow[i], rounded[i]) << type << " of " << inputs[i];
  }
}

} // namespace
