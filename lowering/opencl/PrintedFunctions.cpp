// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of the functions that printed kernels share: narrow floats, min/max
// with ordered zeros, masked accesses.

#include "lowering/opencl/PrintedFunctions.h"

using namespace mlir;

namespace zenith::opencl {

std::string PrintedFunctions::add(const std::string &name,
                                  const std::string &head,
                                  const std::string &body) {
  if (known.insert(name).second)
    written += "static inline " + head + " {\n" + body + "}\n\n";
  return name;
}

/// `condition ? yes : no` of lanes as wide as the condition's.
static std::string pick(const std::string &condition, const std::string &yes,
                        const std::string &no, unsigned lanes) {
  if (lanes == 1)
    return "(" + condition + ") ? " + yes + " : " + no;
  return "select(" + no + ", " + yes + ", " + condition + ")";
}

namespace {
/// Names of the types that conversions of a given width use.
struct WidthNames {
  std::string lanes, u, f, h;
  explicit WidthNames(unsigned n)
      : lanes(n == 1 ? "" : std::to_string(n)), u("uint" + lanes),
        f("float" + lanes), h("ushort" + lanes) {}
  std::string constant(const char *text) const {
    return "(" + u + ")(" + text + ")";
  }
  std::string wide(const std::string &x) const {
    return lanes.empty() ? "(uint)" + x : "convert_" + u + "(" + x + ")";
  }
  std::string half(const std::string &x) const {
    return lanes.empty() ? "(ushort)(" + x + ")"
                         : "convert_" + h + "(" + x + ")";
  }
};
} // namespace

std::string PrintedFunctions::widen(Type narrow, unsigned lanes) {
  WidthNames w(lanes);
  bool brain = narrow.isBF16();
  std::string name =
      std::string(brain ? "zenith_bf16_to_" : "zenith_f16_to_") + w.f;
  std::string body;
  auto let = [&](const std::string &id, const std::string &value) {
    body += "  const " + w.u + " " + id + " = " + value + ";\n";
  };
  if (brain) {
    let("bits", w.wide("x") + " << 16");
  } else {
    let("all", w.wide("x"));
    let("magnitude", "(all & 0x7fffu) << 13");
    let("exponent", "magnitude & 0x0f800000u");
    let("normal", "magnitude + 0x38000000u");
    let("special", "magnitude + 0x70000000u");
    // A normal number with exponent 2^-14 minus 2^-14: no arithmetic on
    // subnormals.
    let("small", "as_" + w.u + "(as_" + w.f +
                     "(magnitude + 0x38800000u) - as_" + w.f + "(" +
                     w.constant("0x38800000u") + "))");
    let("finite",
        pick("exponent == " + w.constant("0u"), "small", "normal", lanes));
    let("value", pick("exponent == " + w.constant("0x0f800000u"), "special",
                      "finite", lanes));
    let("bits", "value | ((all & 0x8000u) << 16)");
  }
  body += "  return as_" + w.f + "(bits);\n";
  return add(name, w.f + " " + name + "(" + w.h + " x)", body);
}

std::string PrintedFunctions::narrow(Type narrow, unsigned lanes) {
  WidthNames w(lanes);
  bool brain = narrow.isBF16();
  std::string name = "zenith_" + w.f + (brain ? "_to_bf16" : "_to_f16");
  std::string body;
  auto let = [&](const std::string &id, const std::string &value) {
    body += "  const " + w.u + " " + id + " = " + value + ";\n";
  };
  let("bits", "as_" + w.u + "(x)");
  let("magnitude", "bits & 0x7fffffffu");
  std::string isNaN = "magnitude > " + w.constant("0x7f800000u");
  if (brain) {
    let("rounded", "(bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16");
    let("quiet", "((bits >> 16) & 0x8000u) | 0x7fc0u");
    let("value", pick(isNaN, "quiet", "rounded", lanes));
  } else {
    // The exponent is smaller by 127 - 15; a carry out of the mantissa raises
    // it.
    let("normal", "(magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13");
    // Adding 1/2 leaves the subnormal's digits, rounded, in the low bits.
    let("small",
        "as_" + w.u + "(as_" + w.f + "(magnitude) + 0x1p-1f) - 0x3f000000u");
    let("special",
        pick(isNaN, w.constant("0x7e00u"), w.constant("0x7c00u"), lanes));
    let("finite", pick("magnitude < " + w.constant("0x38800000u"), "small",
                       "normal", lanes));
    let("unsigned_value", pick("magnitude >= " + w.constant("0x47800000u"),
                               "special", "finite", lanes));
    let("value", "unsigned_value | ((bits >> 16) & 0x8000u)");
  }
  body += "  return " + w.half("value") + ";\n";
  return add(name, w.h + " " + name + "(" + w.f + " x)", body);
}

std::string PrintedFunctions::extremum(bool larger, Type element,
                                       unsigned lanes) {
  std::string type = typeName(element, lanes),
              bits = signedName(element, lanes);
  std::string name =
      std::string(larger ? "zenith_maximum_" : "zenith_minimum_") + type;
  std::string body;
  auto let = [&](const std::string &id, const std::string &value) {
    body += "  const " + type + " " + id + " = " + value + ";\n";
  };
  let("ordered", pick(larger ? "x > y" : "x < y", "x", "y", lanes));
  // Equal floats differ in the sign of zero at most.
  let("same", "as_" + type + "(as_" + bits + "(x) " + (larger ? "&" : "|") +
                  " as_" + bits + "(y))");
  let("number", pick("x == y", "same", "ordered", lanes));
  body += "  return " + pick("x != x", "x", "number", lanes) + ";\n";
  return add(name, type + " " + name + "(" + type + " x, " + type + " y)",
             body);
}

/// Division of the mantissas as integers, 11 bits of the quotient at a time:
/// a remainder has 53 bits.
static const char *const doubleRemainderBody =
    R"(  const ulong infinity = 0x7ff0000000000000ul, hidden = 0x10000000000000ul;
  const ulong sign = as_ulong(x) & 0x8000000000000000ul;
  const ulong magnitude = as_ulong(x) ^ sign;
  const ulong divisor = as_ulong(y) & 0x7ffffffffffffffful;
  if (divisor == 0 || divisor > infinity || magnitude >= infinity)
    return (x * y) / (x * y);
  if (magnitude < divisor)
    return x;
  int exponent = (int)(magnitude >> 52), last = (int)(divisor >> 52);
  ulong rest = exponent ? (magnitude & (hidden - 1)) | hidden : magnitude;
  const ulong by = last ? (divisor & (hidden - 1)) | hidden : divisor;
  exponent = max(exponent, 1);
  last = max(last, 1);
  rest %= by;
  while (exponent > last) {
    const int bits = min(exponent - last, 11);
    rest = (rest << bits) % by;
    exponent -= bits;
  }
  if (rest == 0)
    return as_double(sign);
  const int shift = min((int)clz(rest) - 11, last - 1);
  rest <<= shift;
  last -= shift;
  return as_double(sign | (rest & hidden ? (rest ^ hidden) | ((ulong)last << 52)
                                         : rest));
)";

std::string PrintedFunctions::doubleRemainder(unsigned lanes) {
  std::string scalar = add("zenith_remainder_double",
                           "double zenith_remainder_double(double x, double y)",
                           doubleRemainderBody);
  if (lanes == 1)
    return scalar;
  std::string n = std::to_string(lanes), type = "double" + n;
  std::string name = "zenith_remainder_" + type;
  return add(name, type + " " + name + "(" + type + " x, " + type + " y)",
             "  double xs[" + n + "], ys[" + n + "];\n  vstore" + n +
                 "(x, 0, xs);\n  vstore" + n + "(y, 0, ys);\n" +
                 "  for (int i = 0; i < " + n + "; ++i)\n    xs[i] = " +
                 scalar + "(xs[i], ys[i]);\n  return vload" + n + "(0, xs);\n");
}

static std::string spaceSuffix(Space space) {
  return space == Space::Global ? "_global_" : "_private_";
}

static std::string lanesArgument(PrintedFunctions::Lanes kind, unsigned lanes) {
  return kind == PrintedFunctions::Lanes::First
             ? "long count"
             : "int" + std::to_string(lanes) + " mask";
}

/// Loop over active lanes, with `statement` for lane i.
static std::string laneLoop(PrintedFunctions::Lanes kind, unsigned lanes,
                            const std::string &statement) {
  std::string n = std::to_string(lanes);
  if (kind == PrintedFunctions::Lanes::First)
    return "  for (int i = 0; i < " + n + " && i < count; ++i)\n    " +
           statement + ";\n";
  return "  int on[" + n + "];\n  vstore" + n + "(mask, 0, on);\n" +
         "  for (int i = 0; i < " + n + "; ++i)\n    if (on[i])\n      " +
         statement + ";\n";
}

std::string PrintedFunctions::load(Space space, Type element, unsigned lanes,
                                   Lanes kind) {
  std::string n = std::to_string(lanes), memory = memoryName(element),
              type = memory + n;
  std::string name =
      (kind == Lanes::First ? "zenith_load_first" : "zenith_load_masked") +
      spaceSuffix(space) + type;
  return add(
      name,
      type + " " + name + "(" + spelled(space).str() + " const " + memory +
          " *from, " + lanesArgument(kind, lanes) + ", " + type + " other)",
      "  " + memory + " lanes[" + n + "];\n  vstore" + n +
          "(other, 0, lanes);\n" + laneLoop(kind, lanes, "lanes[i] = from[i]") +
          "  return vload" + n + "(0, lanes);\n");
}

std::string PrintedFunctions::store(Space space, Type element, unsigned lanes,
                                    Lanes kind) {
  std::string n = std::to_string(lanes), memory = memoryName(element),
              type = memory + n;
  std::string name =
      (kind == Lanes::First ? "zenith_store_first" : "zenith_store_masked") +
      spaceSuffix(space) + type;
  return add(
      name,
      "void " + name + "(" + spelled(space).str() + " " + memory + " *to, " +
          lanesArgument(kind, lanes) + ", " + type + " value)",
      "  " + memory + " lanes[" + n + "];\n  vstore" + n +
          "(value, 0, lanes);\n" + laneLoop(kind, lanes, "to[i] = lanes[i]"));
}

std::string PrintedFunctions::gather(Space space, Type element,
                                     unsigned lanes) {
  std::string n = std::to_string(lanes), memory = memoryName(element),
              type = memory + n;
  std::string name = "zenith_gather" + spaceSuffix(space) + type;
  return add(
      name,
      type + " " + name + "(" + spelled(space).str() + " const " + memory +
          " *from, long" + n + " index, int" + n + " mask, " + type + " other)",
      "  " + memory + " lanes[" + n + "];\n  long at[" + n + "];\n  vstore" +
          n + "(other, 0, lanes);\n  vstore" + n + "(index, 0, at);\n" +
          laneLoop(Lanes::Masked, lanes, "lanes[i] = from[at[i]]") +
          "  return vload" + n + "(0, lanes);\n");
}

std::string PrintedFunctions::scatter(Space space, Type element,
                                      unsigned lanes) {
  std::string n = std::to_string(lanes), memory = memoryName(element),
              type = memory + n;
  std::string name = "zenith_scatter" + spaceSuffix(space) + type;
  return add(
      name,
      "void " + name + "(" + spelled(space).str() + " " + memory +
          " *to, long" + n + " index, int" + n + " mask, " + type + " value)",
      "  " + memory + " lanes[" + n + "];\n  long at[" + n + "];\n  vstore" +
          n + "(value, 0, lanes);\n  vstore" + n + "(index, 0, at);\n" +
          laneLoop(Lanes::Masked, lanes, "to[at[i]] = lanes[i]"));
}

} // namespace zenith::opencl
