// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control: loops, branches with captured values, private functions, composites, tuples, map.
//
// RUN: zenith-run %s --target=interp

func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.add %x, %x : tensor<i32>
  return %r : tensor<i32>
}
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<5> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %product = %one) : tensor<i32>, tensor<i32>
   cond {
    %more = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %double = func.call @twice(%product) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %next, %double : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %loop#1, dense<32> : tensor<i32>

  %index = stablehlo.constant dense<-3> : tensor<i32>
  %chosen = "stablehlo.case"(%index) ({
    stablehlo.return %zero : tensor<i32>
  }, {
    %r = stablehlo.add %limit, %one : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %chosen, dense<6> : tensor<i32>

  %made = stablehlo.composite "door.twice" %limit {decomposition = @twice} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %made, dense<10> : tensor<i32>

  %pair = stablehlo.tuple %one, %limit : tuple<tensor<i32>, tensor<i32>>
  %second = stablehlo.get_tuple_element %pair[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %second, dense<5> : tensor<i32>

  %vector = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %mapped = "stablehlo.map"(%vector) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %m = stablehlo.multiply %a, %three : tensor<i32>
    %s = stablehlo.add %m, %limit : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %mapped, dense<[8, 11]> : tensor<2xi32>
  return
}
