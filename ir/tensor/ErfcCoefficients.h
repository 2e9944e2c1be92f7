// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rational approximation of the complementary error function where erf is near
// 1, for formulas in f64.

#ifndef ZENITH_IR_TENSOR_ERFCCOEFFICIENTS_H
#define ZENITH_IR_TENSOR_ERFCCOEFFICIENTS_H

namespace zenith::graph {

/// erfc(x) = exp(-x^2) * P(x) / Q(x) for 1 <= x < 8, from Cephes' ndtr.
/// Coefficients of the highest power first: of P `erfcOver`, of Q `erfcUnder`.
inline constexpr double erfcOver[] = {
    2.46196981473530512524E-10, 5.64189564831068821977E-1,
    7.46321056442269912687E0,   4.86371970985681366614E1,
    1.96520832956077098242E2,   5.26445194995477358631E2,
    9.34528527171957607540E2,   1.02755188689515710272E3,
    5.57535335369399327526E2};
inline constexpr double erfcUnder[] = {1.0,
                                       1.32281951154744992508E1,
                                       8.67072140885989742329E1,
                                       3.54937778887819891062E2,
                                       9.75708501743205489753E2,
                                       1.82390916687909736289E3,
                                       2.24633760818710981792E3,
                                       1.65666309194161350182E3,
                                       5.57535340817727675546E2};

} // namespace zenith::graph

#endif // ZENITH_IR_TENSOR_ERFCCOEFFICIENTS_H
