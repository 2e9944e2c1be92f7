// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a program over devices, or with a request for it, is said with its exit code.
//
// RUN: split-file %s %t

// A number of devices that is not the mesh's, and devices that a whole program lacks.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --mesh-devices=4 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: --mesh-devices=4: the program's mesh has 2 devices
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/manual.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: manual.mlir:3:{{.*}} the program has regions for 2 devices: give --mesh-devices=2
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/no-mesh.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=NOMESH
// NOMESH: 'graph.all_reduce' of a program without a mesh is not supported
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/many.mlir --mesh-devices=4096 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: 4096 devices in one process are not supported, at most 1024 are
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/two-meshes.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: meshes of 2 and of 4 devices in one program

// Axes.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --mesh=z=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: --mesh: the program's mesh has no axis z
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --mesh=x=2,x=4 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --mesh: axis x twice
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --shard 0=z --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=SHARDAXIS
// SHARDAXIS: --shard=0=z: the mesh has no axis z
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --shard 0=x+x --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=SHARDTWICE
// SHARDTWICE: --shard=0=x+x: axis x twice
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/whole.mlir --shard y=x --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: --shard=y=x: there is no argument y; there are 0, rows
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/unknown-axis.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown-axis.mlir:2:{{.*}} got axis "z", expected an axis of @mesh (sharding_c2)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/axis-twice.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: axis-twice.mlir:2:{{.*}} got axes x and x, expected no overlap (sharding_c1)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/collective-axis-twice.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: 'graph.all_gather' is over axis x and over x, which overlap
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/manual.mlir --mesh=x=4 --mesh-devices=4 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: --mesh: 'graph.manual' depends on the size of the program's mesh

// Manual regions and collectives.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/local-shape.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: local-shape.mlir:3:{{.*}} block of operand 0{{.*}}(manual_c4)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/gather-dim.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: gather-dim.mlir:2:{{.*}} dim: got 1{{.*}}(all_gather_c3)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/groups-overlap.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: groups-overlap.mlir:2:{{.*}} groups: got 1, expected distinct devices
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/group-out-of-range.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: group-out-of-range.mlir:3:{{.*}} 'graph.all_reduce' names device 2 of 2
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/two-sources.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=SOURCES
// SOURCES: two-sources.mlir:2:{{.*}} targets: got 1, expected distinct devices (collective_permute_c2)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/block.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: block.mlir:2:{{.*}} argument 0: graph.block: {{.*}} expected blocks of tensor<4xf32> (signature_c10)

// Calls without end.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/recursion.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: @again calls itself

// A condition that differs between devices, with collectives in its branches.
// RUN: %python %S/Inputs/exit_code.py 6 zenith-run %t/branches.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %python %S/Inputs/exit_code.py 6 zenith-run %t/branches.mlir --mesh-devices=2 --target=interp --random-inputs=1 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: devices disagree on 'graph.if', in which they would meet in 'graph.all_reduce' at {{.*}}branches.mlir:6:{{.*}} and in 'graph.collective_broadcast' at {{.*}}branches.mlir:9:
// RUN: %python %S/Inputs/exit_code.py 6 zenith-run %t/one-branch.mlir --mesh-devices=2 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=ONLY
// RUN: %python %S/Inputs/exit_code.py 6 zenith-run %t/one-branch.mlir --mesh-devices=2 --target=interp --random-inputs=1 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY: devices disagree on 'graph.if', in which they would meet in 'graph.all_reduce' at {{.*}}one-branch.mlir:6:

// A name that one function reads and another one defines.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/escaping.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=ESCAPING
// ESCAPING: escaping.mlir:2:22: error: use of undeclared SSA value name %b

//--- whole.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>}, %r: tensor<8xf32> {graph.name = "rows"}) -> tensor<8xf32> {
  %y = graph.add %x, %r : tensor<8xf32>
  return %y : tensor<8xf32>
}

//--- manual.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      %b = graph.neg %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- no-mesh.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- many.mlir
graph.mesh @mesh = <["x"=4096]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

//--- two-meshes.mlir
graph.mesh @two = <["x"=2]>
graph.mesh @four = <["x"=4]>
func.func private @part(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@four, [{"x"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@two, [{"x"}]>}) -> tensor<8xf32> {
  %r = call @part(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- unknown-axis.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"z"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

//--- axis-twice.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {"x"}]>}) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}

//--- collective-axis-twice.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<32xf32> {
  %r = graph.all_gather (%x) dim 0 axes @mesh ["x", "x"] : (tensor<8xf32>) -> tensor<32xf32>
  return %r : tensor<32xf32>
}

//--- local-shape.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<8xf32>):
      graph.yield %a : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- gather-dim.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.all_gather (%x) dim 1 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- groups-overlap.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 1], [1, 2]]> : tensor<2x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- group-out-of-range.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 2]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- two-sources.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.collective_permute (%x) pairs dense<[[0, 1], [2, 1]]> : tensor<2x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- block.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{}]>, whole = tensor<8xf32>}}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- recursion.mlir
graph.mesh @mesh = <["x"=2]>
func.func private @again(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %r = call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- branches.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<8xf32>}}) -> (tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<8xf32>}}) {
  %i = graph.axis_index axes @mesh ["x"] : tensor<i64>
  %p = graph.convert %i : tensor<i64> -> tensor<i1>
  %r = graph.if %p then {
    %a = graph.all_reduce (%x) kind <sum> axes @mesh ["x"] : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } else {
    %b = graph.collective_broadcast (%x) source 0 axes @mesh ["x"] : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- one-branch.mlir
graph.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<8xf32>}}) -> (tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<8xf32>}}) {
  %i = graph.axis_index axes @mesh ["x"] : tensor<i64>
  %p = graph.convert %i : tensor<i64> -> tensor<i1>
  %r = graph.if %p then {
    %a = graph.all_reduce (%x) kind <sum> axes @mesh ["x"] : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- escaping.mlir
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.add %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @other(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = graph.neg %a : tensor<8xf32>
  return %c : tensor<8xf32>
}
