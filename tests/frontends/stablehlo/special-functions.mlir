// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special functions against known values.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %x = stablehlo.constant dense<[0.5, -0.5, 3.0, 10.0]> : tensor<4xf64>
  %erfc = chlo.erfc %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %erfc, dense<[0.4795001221869535, 1.5204998778130465, 2.209049699858544e-5, 2.088487583762545e-45]> : tensor<4xf64> {tolerance = 1.0e-15 : f64}
  %u = stablehlo.constant dense<[0.5, -0.9, 0.999999]> : tensor<3xf64>
  %inverse = chlo.erf_inv %u : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %inverse, dense<[0.4769362762044699, -1.1630871536766743, 3.4589107372795]> : tensor<3xf64> {tolerance = 1.0e-10 : f64}
  %g = stablehlo.constant dense<[0.5, 5.0, -1.5, 1.0]> : tensor<4xf64>
  %lgamma = chlo.lgamma %g : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %lgamma, dense<[0.5723649429247001, 3.1780538303479458, 0.8600470153764810, 0.0]> : tensor<4xf64> {tolerance = 1.0e-13 : f64}
  %digamma = chlo.digamma %g : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %digamma, dense<[-1.9635100260214235, 1.5061176684318003, 0.7031566406452432, -0.5772156649015329]> : tensor<4xf64> {tolerance = 1.0e-13 : f64}
  %s = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %q = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf64>
  %zeta = chlo.zeta %s, %q : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %zeta, dense<[1.6449340668482264, 8.414398322117159]> : tensor<2xf64> {tolerance = 1.0e-12 : f64}
  %bessel = chlo.bessel_i1e %s : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %bessel, dense<[0.21526928924893765, 0.19682671329730087]> : tensor<2xf64> {tolerance = 1.0e-14 : f64}
  %from = stablehlo.constant dense<[1.0, 0.0, 1.0]> : tensor<3xf32>
  %to = stablehlo.constant dense<[2.0, -1.0, 1.0]> : tensor<3xf32>
  %next = chlo.next_after %from, %to : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_eq_const %next, dense<[1.00000012, 0x80000001, 1.0]> : tensor<3xf32>
  return
}
