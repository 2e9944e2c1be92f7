// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the frontend refuses, by name.
//
// RUN: split-file %s %t
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/call.mlir --target=interp 2>&1 | FileCheck --check-prefix=CALL %s
// CALL: error: 'stablehlo.custom_call' @mystery is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/pure-call.mlir --target=interp --random-inputs 2>&1 | FileCheck --check-prefix=PURE %s
// PURE: calls 'mystery', which is no routine here
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/mesh.mlir --target=interp 2>&1 | FileCheck --check-prefix=MESH %s
// MESH: error: sharding '{maximal device=0}' is no tiling of a mesh
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/two-meshes.mlir --target=interp 2>&1 | FileCheck --check-prefix=TWO %s
// TWO: error: sharding '{devices=[4]<=[4]}' is for 4 devices, another one for 8
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/shard-shape.mlir --target=interp 2>&1 | FileCheck --check-prefix=SHAPE %s
// SHAPE: error: 'stablehlo.custom_call' bounds a manual region in GSPMD's form, which is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/recursive.mlir --target=interp 2>&1 | FileCheck --check-prefix=RECURSIVE %s
// RECURSIVE: error: recursive function @f is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/axis.mlir --target=interp 2>&1 | FileCheck --check-prefix=AXIS %s
// AXIS: got axis "z", expected an axis of @mesh (sharding_c2)
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/barrier.mlir --target=interp 2>&1 | FileCheck --check-prefix=BARRIER %s
// RUN: zenith-translate %t/meshes.mlir -o %t/meshes.out.mlir
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/narrow.mlir --target=interp 2>&1 | FileCheck --check-prefix=NARROW %s
// NARROW: error: 'stablehlo.popcnt' of integers of two bits is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/padded.mlir --target=interp 2>&1 | FileCheck --check-prefix=PADDED %s
// PADDED: error: 'stablehlo.bitcast_convert' between these types is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/newer.mlir --target=interp 2>&1 | FileCheck --check-prefix=NEWER %s
// NEWER: error: element type f8E3M4 is not supported here
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/replicas.mlir --target=interp 2>&1 | FileCheck --check-prefix=REPLICAS %s
// REPLICAS: error: 'stablehlo.cross-replica-sum' over several devices is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/letters.mlir --target=interp 2>&1 | FileCheck --check-prefix=LETTERS %s
// LETTERS: error: 'stablehlo.einsum' einsum_config "ij,jk->ikl": no operand has 'l'
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/diagonal.mlir --target=interp 2>&1 | FileCheck --check-prefix=DIAGONAL %s
// DIAGONAL: an operand's letters are not distinct
// BARRIER: error: custom op 'sdy.all_gather' is unknown
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/unranked.mlir --target=interp 2>&1 | FileCheck --check-prefix=UNRANKED %s
// UNRANKED: error: type tensor<*xf32> is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/no-status.mlir --target=interp 2>&1 | FileCheck --check-prefix=STATUS %s
// STATUS: error: 'stablehlo.custom_call' has too few results
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/no-partner.mlir --target=interp 2>&1 | FileCheck --check-prefix=PARTNER %s
// PARTNER: error: 'stablehlo.custom_call' has too few operands
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/infeed.mlir --target=interp 2>&1 | FileCheck --check-prefix=INFEED %s
// INFEED: error: op 'stablehlo.infeed' is not supported
// RUN: %python %S/../../tools/Inputs/exit_code.py 7 zenith-run %t/differs.mlir --target=interp 2>&1 | FileCheck --check-prefix=DIFFERS %s
// DIFFERS: error: the program's expectation 0 does not hold

//--- call.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.custom_call @mystery(%x) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- pure-call.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- meshes.mlir
sdy.mesh @mesh = <["x"=2, "y"=4]>
//--- narrow.mlir
func.func @main(%x: tensor<2xui2>) -> tensor<2xui2> {
  %r = stablehlo.popcnt %x : tensor<2xui2>
  return %r : tensor<2xui2>
}
//--- padded.mlir
func.func @main(%x: tensor<4xui2>) -> tensor<ui8> {
  %r = stablehlo.bitcast_convert %x : (tensor<4xui2>) -> tensor<ui8>
  return %r : tensor<ui8>
}
//--- newer.mlir
func.func @main(%x: tensor<f8E3M4>) {
  check.expect_eq_const %x, dense<1.0> : tensor<f8E3M4>
  return
}
//--- replicas.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- letters.mlir
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2x2xf32> {
  %r = stablehlo.einsum %x, %x, config = "ij,jk->ikl" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}
//--- diagonal.mlir
func.func @main(%x: tensor<2x2xf32>) -> tensor<2xf32> {
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ii->i"} : (tensor<2x2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- mesh.mlir
module {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{maximal device=0}"}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> tensor<8xf32> {
    %r = stablehlo.negate %x : tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
//--- two-meshes.mlir
module {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8xf32> {
    %r = stablehlo.negate %x : tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
//--- shard-shape.mlir
module {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> tensor<1xf32> {
    %r = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<1xf32>
    return %r : tensor<1xf32>
  }
}
//--- recursive.mlir
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
//--- axis.mlir
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = sdy.sharding_constraint %x <@mesh, [{"z"}]> : tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
//--- infeed.mlir
func.func @main() -> tensor<3xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<3xi32>, !stablehlo.token)
  return %r#0 : tensor<3xi32>
}
//--- differs.mlir
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  check.expect_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
//--- barrier.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"x"}] %x out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
//--- unranked.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<*xf32> {
  %r = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
//--- no-status.mlir
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
//--- no-partner.mlir
func.func @main(%x: tensor<2x2xf32>) {
  stablehlo.custom_call @check.expect_eq(%x) : (tensor<2x2xf32>) -> ()
  return
}
