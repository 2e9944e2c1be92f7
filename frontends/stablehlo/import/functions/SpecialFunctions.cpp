// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of erfc, erf_inv, gamma and Bessel functions, all in f64: narrower
// types are converted, which makes their results as good as rounded ones.

#include "frontends/stablehlo/import/OpReading.h"
#include "frontends/stablehlo/import/functions/ExprFunctions.h"
#include "ir/random/RandomFormulas.h"
#include "ir/tensor/ErfcCoefficients.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static constexpr double pi = 3.14159265358979323846;
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

static Expr floor(Expr value) { return value.apply<graph::FloorOp>(); }
static Expr pow(Expr base, Expr exponent) {
  return base.apply<graph::PowOp>(exponent);
}

// Horner's rule, highest power first.
static Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = sum * x + coefficient;
  return sum;
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

// exp(-x^2) with a correction of the square's rounding error: the head of x has
// so few bits that its square is exact.
static Expr expOfMinusSquare(Expr x) {
  Expr head = floor(x * 1048576.0 + 0.5) / 1048576.0;
  return exp(-(head * head)) * exp(-((x - head) * (x + head)));
}

// Rational approximations of Cephes' ndtr.
static Expr erfc(Expr x) {
  static constexpr double r[] = {
      5.64189583547755073984E-1, 1.27536670759978104416E0,
      5.01905042251180477414E0,  6.16021097993053585195E0,
      7.40974269950448939160E0,  2.97886665372100240670E0};
  static constexpr double s[] = {1.0,
                                 2.26052863220117276590E0,
                                 9.39603524938001434673E0,
                                 1.20489539808096656605E1,
                                 1.70814450747565897222E1,
                                 9.60896809063285878198E0,
                                 3.36907645100081516050E0};
  Expr magnitude = abs(x);
  // Beyond 30 the result is 0, and squares would overflow.
  Expr bounded = magnitude.apply<graph::MinOp>(magnitude.constant(30));
  Expr ratio = select(bounded < 8.0,
                      polynomial(bounded, graph::erfcOver) /
                          polynomial(bounded, graph::erfcUnder),
                      polynomial(bounded, r) / polynomial(bounded, s));
  Expr tail = expOfMinusSquare(bounded) * ratio;
  Expr result = select(x < 0.0, 2.0 - tail, tail);
  return select(magnitude < 1.0, 1.0 - x.apply<graph::ErfOp>(), result);
}

static Expr erfInv(Expr x) {
  HLOBuilder &builder = *x.builder;
  return x.with(graph::buildErfInv(builder.b, builder.loc, x.value));
}

//===----------------------------------------------------------------------===//
// Gamma functions
//===----------------------------------------------------------------------===//

// Lanczos with g = 7; below 1/2 by reflection.
static Expr lgamma(Expr x) {
  static constexpr double lanczos[] = {
      676.520368121885098567009190444019, -1259.13921672240287047156078755283,
      771.3234287776530788486528258894,   -176.61502916214059906584551354,
      12.507343278686904814458936853,     -0.13857109526572011689554707,
      9.984369578019570859563e-6,         1.50563273514931155834e-7};
  Expr reflect = x < 0.5;
  Expr z = select(reflect, -x, x - 1.0);
  Expr sum = x.constant(0.99999999999980993227684700473478);
  for (auto [i, coefficient] : llvm::enumerate(lanczos))
    sum = sum + coefficient / (z + double(i + 1));
  Expr t = z + 7.5;
  Expr logT = std::log(7.5) + log1p(z / 7.5);
  Expr direct = 0.5 * std::log(2 * pi) + (z + 0.5 - t / logT) * logT + log(sum);
  Expr magnitude = abs(x), fraction = magnitude - floor(magnitude);
  Expr reduced = select(fraction > 0.5, 1.0 - fraction, fraction);
  Expr sine = log((reduced * pi).apply<graph::SinOp>());
  Expr reflected =
      select(abs(sine) == infinity, -sine, std::log(pi) - sine - direct);
  Expr result = select(reflect, reflected, direct);
  return select(magnitude == infinity, infinity, result);
}

// Steps up to 10, then the asymptotic series; reflection for negative
// arguments.
static Expr digamma(Expr x) {
  static constexpr double series[] = {1.0 / 12,   -691.0 / 32760, 1.0 / 132,
                                      -1.0 / 240, 1.0 / 252,      -1.0 / 120,
                                      1.0 / 12};
  Expr negative = x < 0.5;
  Expr w = select(negative, 1.0 - x, x), sum = x.constant(0);
  for (int i = 0; i < 10; ++i) {
    Expr low = w < 10.0;
    sum = select(low, sum - 1.0 / w, sum);
    w = select(low, w + 1.0, w);
  }
  Expr inverse = 1.0 / (w * w);
  Expr value = sum + log(w) - 0.5 / w - inverse * polynomial(inverse, series);
  Expr fraction = x - x.apply<graph::RoundEvenOp>();
  Expr cotangent = pi / (fraction * pi).apply<graph::TanOp>();
  Expr pole = (x <= 0.0) & (x == floor(x));
  Expr result = select(negative, value - cotangent, value);
  return select(pole, notANumber, select(x == infinity, infinity, result));
}

// Euler-Maclaurin from the tenth term on.
static Expr zeta(Expr x, Expr q) {
  // B(2k) / (2k)!
  static constexpr double bernoulli[] = {1.0 / 12,
                                         -1.0 / 720,
                                         1.0 / 30240,
                                         -1.0 / 1209600,
                                         1.0 / 47900160,
                                         -691.0 / 1307674368000.0,
                                         1.0 / 74724249600.0,
                                         -3617.0 / 10670622842880000.0,
                                         43867.0 / 5109094217170944000.0,
                                         -174611.0 / 802857662698291200000.0,
                                         77683.0 / 14101100039391805440000.0,
                                         -236364091.0 /
                                             1693824136731743669452800000.0};
  Expr a = q, power = pow(q, -x), sum = power;
  for (int i = 0; i < 10; ++i) {
    a = a + 1.0;
    power = pow(a, -x);
    sum = i < 9 ? sum + power : sum;
  }
  sum = sum + power * a / (x - 1.0) + power * 0.5;
  Expr factor = x, scale = power / a;
  for (auto [k, coefficient] : llvm::enumerate(bernoulli)) {
    sum = sum + coefficient * factor * scale;
    factor = factor * (x + double(2 * k + 1)) * (x + double(2 * k + 2));
    scale = scale / (a * a);
  }
  Expr pole = (q <= 0.0) & (q == floor(q));
  sum = select(pole, infinity, sum);
  Expr undefined = (x < 1.0) | ((q <= 0.0) & (x != floor(x)));
  sum = select(undefined, notANumber, sum);
  return select(x == 1.0, infinity, sum);
}

static Expr polygamma(Expr n, Expr x) {
  Expr order = n + 1.0;
  Expr odd = n - floor(n * 0.5) * 2.0;
  Expr value = exp(lgamma(order)) * zeta(order, x);
  Expr result = select(odd == 0.0, -value, value);
  result = select(n == 0.0, digamma(x), result);
  return select((n < 0.0) | (n != floor(n)), notANumber, result);
}

//===----------------------------------------------------------------------===//
// Bessel function
//===----------------------------------------------------------------------===//

static Expr chebyshev(Expr x, ArrayRef<double> coefficients) {
  Expr b0 = x.constant(coefficients.front()), b1 = x.constant(0), b2 = b1;
  for (double coefficient : coefficients.drop_front()) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + coefficient;
  }
  return 0.5 * (b0 - b2);
}

// exp(-|x|) I1(x), by the series of Cephes.
static Expr besselI1e(Expr x) {
  static constexpr double low[] = {
      2.77791411276104639959E-18, -2.11142121435816608115E-17,
      1.55363195773620046921E-16, -1.10559694773538630805E-15,
      7.60068429473540693410E-15, -5.04218550472791168711E-14,
      3.22379336594557470981E-13, -1.98397439776494371520E-12,
      1.17361862988909016308E-11, -6.66348972350202774223E-11,
      3.62559028155211703701E-10, -1.88724975172282928790E-9,
      9.38153738649577178388E-9,  -4.44505912879632808065E-8,
      2.00329475355213526229E-7,  -8.56872026469545474066E-7,
      3.47025130813767847674E-6,  -1.32731636560394358279E-5,
      4.78156510755005422638E-5,  -1.61760815825896745588E-4,
      5.12285956168575772895E-4,  -1.51357245063125314899E-3,
      4.15642294431288815669E-3,  -1.05640848946261981558E-2,
      2.47264490306265168283E-2,  -5.29459812080949914269E-2,
      1.02643658689847095384E-1,  -1.76416518357834055153E-1,
      2.52587186443633654823E-1};
  static constexpr double high[] = {
      7.51729631084210481353E-18,  4.41434832307170791151E-18,
      -4.65030536848935832153E-17, -3.20952592199342395980E-17,
      2.96262899764595013876E-16,  3.30820231092092828324E-16,
      -1.88035477551078244854E-15, -3.81440307243700780478E-15,
      1.04202769841288027642E-14,  4.27244001671195135429E-14,
      -2.10154184277266431302E-14, -4.08355111109219731823E-13,
      -7.19855177624590851209E-13, 2.03562854414708950722E-12,
      1.41258074366137813316E-11,  3.25260358301548823856E-11,
      -1.89749581235054123450E-11, -5.58974346219658380687E-10,
      -3.83538038596423702205E-9,  -2.63146884688951950684E-8,
      -2.51223623787020892529E-7,  -3.88256480887769039346E-6,
      -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
      7.78576235018280120474E-1};
  Expr z = abs(x);
  Expr near = chebyshev(z * 0.5 - 2.0, low) * z;
  Expr far = chebyshev(32.0 / z - 2.0, high) / sqrt(z);
  Expr value = select(z <= 8.0, near, far);
  return select(x < 0.0, -value, value);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static Expr inDouble(OpReading &x, unsigned index) {
  return Expr(x, x.convert(x.in(index), x.b.getF64Type()));
}

template <Expr (*function)(Expr)> static void unaryRule(OpReading &x) {
  if (isa<ComplexType>(elementOf(x.in())))
    return x.unsupported("of complex numbers is not supported");
  x.out(x.convert(function(inDouble(x, 0)).value, elementOf(x.in())));
}
template <Expr (*function)(Expr, Expr)> static void binaryRule(OpReading &x) {
  x.out(x.convert(function(inDouble(x, 0), inDouble(x, 1)).value,
                  elementOf(x.in())));
}

void stablehlo::addSpecialFunctionRules(RuleTable &rules) {
  rules["chlo.erfc"] = unaryRule<erfc>;
  rules["chlo.erf_inv"] = unaryRule<erfInv>;
  rules["chlo.lgamma"] = unaryRule<lgamma>;
  rules["chlo.digamma"] = unaryRule<digamma>;
  rules["chlo.zeta"] = binaryRule<zeta>;
  rules["chlo.polygamma"] = binaryRule<polygamma>;
  rules["chlo.bessel_i1e"] = unaryRule<besselI1e>;
}
