// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the host dialect, broken, and expressions that do not parse.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

host.program @dim_is_no_expression arguments [] results [] arena "0" {
  // expected-error@+1 {{got "4*", expected an expression over dimensions}}
  host.copy <arena, 0, "0"> to <arena, 0, "64"> bytes "4*"
}

// -----

host.program @buffer_offset_is_no_expression arguments [] results [] arena "0" {
  // expected-error@+1 {{got "n +", expected an expression over dimensions}}
  host.copy <arena, 0, "n +"> to <arena, 0, "64"> bytes "4"
}

// -----

host.program @generic_dim_is_a_string arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op attribute 'bytes' failed to satisfy constraint: a size, offset or count as an expression over named dimensions}}
  "host.copy"() {source = #host.buffer<arena, 0, "0">, target = #host.buffer<arena, 0, "64">, bytes = "4"} : () -> ()
}

// -----

host.program @buffer_c1_index_negative arguments [] results [] arena "0" {
  // expected-error@+1 {{buffer index: got -1, expected at least 0 (buffer_c1)}}
  host.copy <slot, -1, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

host.program @buffer_c2_offset_in_slot arguments [] results [] arena "0" {
  // expected-error@+1 {{buffer offset: got #graph.dim<"64"> in a slot, expected 0 (buffer_c2)}}
  host.copy <slot, 0, "64"> to <arena, 0, "0"> bytes "4"
}

// -----

// expected-error@+1 {{value dims: got [] of 'tensor<4xf32>', expected one expression per dimension (value_c1)}}
host.program @value_c1_too_few_dims arguments [#host.value<"x", tensor<4xf32>, []>] results [] arena "0" {
}

// -----

// expected-error@+1 {{value dims: got #graph.dim<"n"> for dimension 0 of 'tensor<4xf32>', expected 4 (value_c2)}}
host.program @value_c2_static_dim arguments [#host.value<"x", tensor<4xf32>, ["n"]>] results [] arena "0" {
}

// -----

host.program @argument_c1_dims arguments [] results [] arena "0" {
  // expected-error@+1 {{argument dims: got [unit], expected dimension expressions (argument_c1)}}
  host.if "1" to [@f] arguments [[#host.argument<<arena, 0, "0">, [unit]>]] results []
}

// -----

host.program @outcome_c1_dims arguments [] results [] arena "0" {
  // expected-error@+1 {{outcome dims: got [unit], expected dimension expressions (outcome_c1)}}
  host.if "1" to [@f] arguments [[]] results [#host.outcome<<arena, 0, "0">, [unit], "4">]
}

// -----

host.program @outcome_c2_allocated_in_arena arguments [] results [] arena "0" {
  // expected-error@+1 {{outcome buffer: got #host.buffer<arena, 0, "0">, expected a slot or result alone for what is allocated inside (outcome_c2)}}
  host.if "1" to [@f] arguments [[]] results [#host.outcome<<arena, 0, "0">, [], "4", allocated>]
}

// -----

host.program @outcome_c2_second arguments [] results [] arena "0" {
  // expected-error@+1 {{outcome buffer: got #host.buffer<slot, 0, "0"> and a second one, expected a slot or result alone for what is allocated inside (outcome_c2)}}
  host.if "1" to [@f] arguments [[]] results [#host.outcome<<slot, 0, "0">, [], "4", second <arena, 0, "0">, allocated>]
}

// -----

// expected-error@+1 {{'func.func' op host.arena: got "4", expected #graph.dim}}
func.func @arena_is_a_string() attributes {host.arena = "4"} {
  return
}

// -----

func.func @buffers_for_each_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.exp' op host.buffers: got [], expected #host.buffer or unit for each result}}
  %y = graph.exp %x {host.buffers = []} : tensor<4xf32>
  return
}

// -----

func.func @buffers_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'graph.exp' op host.buffers: got #host.buffer<result, 1, "0">, which the function does not have}}
  %y = graph.exp %x {host.buffers = [#host.buffer<result, 1, "0">]} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scratch_holds_buffers(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.exp' op host.scratch: got [unit], expected an array of #host.buffer}}
  %y = graph.exp %x {host.scratch = [unit]} : tensor<4xf32>
  return
}

// -----

func.func @deallocs_are_indices(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.exp' op host.deallocs: got [0], expected an array of i64}}
  %y = graph.exp %x {host.deallocs = [0]} : tensor<4xf32>
  return
}

// -----

func.func @nested_arena_is_a_buffer(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.exp' op host.nested_arena: got 0 : i64, expected #host.buffer}}
  %y = graph.exp %x {host.nested_arena = 0} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{'host.program' op scalars: got 0 names for 1 arguments (program_c1)}}
host.program @program_c1_one_name_per_argument arguments [#host.value<"s", tensor<i64>, []>] results [] arena "0" attributes {scalars = []} {
}

// -----

// expected-error@+1 {{'host.program' op scalars: got "%i0" for an argument of type 'tensor<?xf32>', expected a scalar of integers (program_c1)}}
host.program @program_c1_name_of_a_vector arguments [#host.value<"x", tensor<?xf32>, ["n"]>] results [] arena "0" attributes {scalars = ["%i0"]} {
}

// -----

// expected-error@+1 {{'host.program' op donations: got [0, 1], expected pairs of a result and an argument that exist (program_c2)}}
host.program @program_c2_argument_missing arguments [#host.value<"x", tensor<?xf32>, ["n"]>] results [#host.value<"x", tensor<?xf32>, ["n"]>] arena "0" attributes {donations = array<i64: 0, 1>} {
}

// -----

// expected-error@+1 {{'host.program' op donations: got [0], expected pairs of a result and an argument that exist (program_c2)}}
host.program @program_c2_no_pair arguments [#host.value<"x", tensor<?xf32>, ["n"]>] results [#host.value<"x", tensor<?xf32>, ["n"]>] arena "0" attributes {donations = array<i64: 0>} {
}

// -----

// expected-error@+1 {{'host.program' op classes: got "4" for "inputs", expected #graph.dim (program_c3)}}
host.program @program_c3_class_is_a_string arguments [] results [] arena "0" attributes {classes = {inputs = "4"}} {
}

// -----

// expected-error@+1 {{'host.program' op constants: got "4", expected elements (program_c4)}}
host.program @program_c4_constant_is_a_string arguments [] results [] arena "0" attributes {constants = ["4"]} {
}

// -----

host.program @program_c5_no_step arguments [] results [] arena "0" {
  // expected-error@+1 {{'graph.constant' op is not a step of a program (program_c5)}}
  %c = graph.constant dense<1> : tensor<i64>
}

// -----

host.program @program_c6_argument_missing arguments [#host.value<"x", tensor<?xf32>, ["n"]>] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<argument, 1, "0">, which the program does not have (program_c6)}}
  host.copy <argument, 1, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

host.program @program_c6_result_missing arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<result, 0, "0">, which the program does not have (program_c6)}}
  host.copy <arena, 0, "0"> to <result, 0, "0"> bytes "4"
}

// -----

host.program @program_c6_constant_missing arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<constant, 0, "0">, which the program does not have (program_c6)}}
  host.copy <constant, 0, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

// expected-error@+1 {{'host.dealloc' op expects parent op 'host.program'}}
host.dealloc 0

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c1_cost_negative arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op cost: got -1.000000e+00, expected a finite one that is not negative (launch_c1)}}
  host.launch @kernels::@k pointers [#host.buffer<arena, 0, "0">] sizes ["n"] tasks "n" cost -1.0
}

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c2_bytes_missing arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op pointer_bytes: got 0 sizes for 1 pointers (launch_c2)}}
  host.launch @kernels::@k pointers [#host.buffer<arena, 0, "0">] sizes ["n"] tasks "n" cost 1.0 {host_only}
}

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c2_too_many_bytes arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op pointer_bytes: got 2 sizes for 1 pointers (launch_c2)}}
  host.launch @kernels::@k pointers [#host.buffer<arena, 0, "0">] sizes ["n"] tasks "n" cost 1.0 {pointer_bytes = [#graph.dim<"4">, #graph.dim<"4">]}
}

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c3_no_such_pointer arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op written: got 1 of 1 pointers (launch_c3)}}
  host.launch @kernels::@k pointers [#host.buffer<arena, 0, "0">] sizes ["n"] tasks "n" cost 1.0 {written = array<i64: 1>}
}

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c4_no_such_kernel arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op kernel: got @kernels::@l, expected a function of module @kernels (launch_c4)}}
  host.launch @kernels::@l pointers [#host.buffer<arena, 0, "0">] sizes ["n"] tasks "n" cost 1.0
}

// -----

module @kernels {
  func.func @k(%x: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

host.program @launch_c4_arguments arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.launch' op kernel: got 4 arguments of @kernels::@k, expected 3: the pointers, the sizes and the range of tasks (launch_c4)}}
  host.launch @kernels::@k pointers [#host.buffer<arena, 0, "0">] sizes [] tasks "n" cost 1.0
}

// -----

host.program @copy_c1_into_parameter arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op target: got #host.buffer<param, 0, "0">, expected memory that may be written (copy_c1)}}
  host.copy <arena, 0, "0"> to <param, 0, "0"> bytes "4"
}

// -----

host.program @copy_c2_result arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op got #host.buffer<slot, 0, "0"> beside the file, expected a part of the arena (copy_c2)}}
  host.copy <slot, 0, "0"> to <file, 0, "0"> bytes "4"
}

// -----

host.program @copy_c2_inner arguments [] results [] arena "64" attributes {inner} {
  // expected-error@+1 {{'host.copy' op got #host.buffer<slot, 0, "0"> beside the file, expected a part of the arena, an argument or a result (copy_c2)}}
  host.copy <file, 0, "0"> to <slot, 0, "0"> bytes "4"
}

// -----

host.program @await_c1_not_started arguments [] results [] arena "64" {
  host.copy <arena, 0, "0"> to <file, 0, "0"> bytes "4"
  // expected-error@+1 {{'host.await' op got copy 2 of 1 with #host.buffer<arena, 0, "0">, expected the buffer of a copy that was started (await_c1)}}
  host.await 2 <arena, 0, "0">
}

// -----

host.program @await_c1_other_buffer arguments [] results [] arena "128" {
  host.copy <arena, 0, "0"> to <file, 0, "0"> bytes "4"
  // expected-error@+1 {{'host.await' op got copy 1 of 1 with #host.buffer<arena, 0, "64">, expected the buffer of a copy that was started (await_c1)}}
  host.await 1 <arena, 0, "64">
}

// -----

host.program @scalar_c1_float arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.scalar' op type: got 'f32', expected an integer of at most 64 bits (scalar_c1)}}
  host.scalar "1" to <cell, 0, "0"> : f32
}

// -----

host.program @scalar_c2_into_parameter arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.scalar' op target: got #host.buffer<param, 0, "0">, expected memory that may be written (scalar_c2)}}
  host.scalar "1" to <param, 0, "0"> : i64
}

// -----

host.program @alloc_c1_arena arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.alloc' op target: got #host.buffer<arena, 0, "0">, expected a slot or a result (alloc_c1)}}
  host.alloc <arena, 0, "0"> bytes "4"
}

// -----

host.program @dealloc_c1_never_allocated arguments [] results [] arena "0" {
  host.alloc <slot, 0, "0"> bytes "4"
  // expected-error@+1 {{'host.dealloc' op slot: got 1, which no earlier step allocates (dealloc_c1)}}
  host.dealloc 1
}

// -----

host.program @dealloc_c1_twice arguments [] results [] arena "0" {
  host.alloc <slot, 0, "0"> bytes "4"
  host.dealloc 0
  // expected-error@+1 {{'host.dealloc' op slot: got 0, which no earlier step allocates (dealloc_c1)}}
  host.dealloc 0
}

// -----

host.program @fetch_c1_no_symbol arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.fetch' op symbol: got an empty one (fetch_c1)}}
  host.fetch "" from <cell, 0, "0"> : i64
}

// -----

host.program @fetch_c2_float arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.fetch' op type: got 'f32', expected an integer of at most 64 bits (fetch_c2)}}
  host.fetch "%i0" from <cell, 0, "0"> : f32
}

// -----

host.program @eval_c1_no_symbol arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.eval' op symbol: got an empty one (eval_c1)}}
  host.eval "" = "add" ["1", "2"] : i64 to i64
}

// -----

host.program @eval_c2_no_such_op arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.eval' op opcode: got "exp", which the host does not compute (eval_c2)}}
  host.eval "%h0" = "exp" ["1"] : i64 to i64
}

// -----

host.program @eval_c2_no_such_direction arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.eval' op opcode: got "compare.less", which the host does not compute (eval_c2)}}
  host.eval "%h0" = "compare.less" ["1", "2"] : i64 to i1
}

// -----

host.program @eval_c2_too_few_inputs arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.eval' op inputs: got 1, expected 2 for "add" (eval_c2)}}
  host.eval "%h0" = "add" ["1"] : i64 to i64
}

// -----

host.program @eval_c3_float arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.eval' op type: got 'f32', expected an integer of at most 64 bits (eval_c3)}}
  host.eval "%h0" = "add" ["1", "2"] : i64 to f32
}

// -----

host.program @guard_c1_no_message arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.guard' op message: got an empty one (guard_c1)}}
  host.guard "1" ""
}

// -----

host.program @if_c1_no_program arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op programs: got 0, expected at least 1 (if_c1)}}
  host.if "1" to [] arguments [] results []
}

// -----

host.program @if_c1_boolean arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op programs: got 1, expected 2 (if_c1)}}
  host.if "1" to [@f] arguments [[]] results [] boolean
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @if_c2_one_list_each arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op arguments: got [], expected a list of #host.argument or #graph.dim for each program (if_c2)}}
  host.if "1" to [@f] arguments [] results []
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @if_c2_what_is_passed arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op arguments: got [[unit]], expected a list of #host.argument or #graph.dim for each program (if_c2)}}
  host.if "1" to [@f] arguments [[unit]] results []
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @if_c3_arena_in_result arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op arena: got #host.buffer<slot, 0, "0">, expected a part of the arena (if_c3)}}
  host.if "1" to [@f] arguments [[]] results [] arena <slot, 0, "0">
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @if_c4_too_many_arguments arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op programs: got @f, expected an inner program of 1 arguments and 0 results (if_c4)}}
  host.if "1" to [@f] arguments [["1"]] results []
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @if_c4_not_inner arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op programs: got @f, expected an inner program of 0 arguments and 0 results (if_c4)}}
  host.if "1" to [@f] arguments [[]] results []
}

host.program @f arguments [] results [] arena "0" {
}

// -----

host.program @while_c1_no_init arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op inits: got [] for results ["%h0"] (while_c1)}}
  host.while @f([]) do @f([]) inits [] results ["%h0"] in_place []
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c1_bytes_for_a_scalar arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op inits: got [#host.argument<<arena, 0, "0">, []>] for results ["%h0"] (while_c1)}}
  host.while @f([]) do @f([]) inits [#host.argument<<arena, 0, "0">, []>] results ["%h0"] in_place []
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c2_scalar_in_place arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op in_place: got 0, expected the position of a result in memory (while_c2)}}
  host.while @f([]) do @f([]) inits ["0"] results ["%h0"] in_place [0]
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c2_no_second_buffer arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op results: got #host.outcome<<arena, 0, "0">, [], "8">, expected a second buffer for what the body does not update in place (while_c2)}}
  host.while @f([]) do @f([]) inits [#host.argument<<arena, 0, "0">, []>] results [#host.outcome<<arena, 0, "0">, [], "8">] in_place []
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c3_arena_in_slot arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op arena: got #host.buffer<slot, 0, "0">, expected a part of the arena (while_c3)}}
  host.while @f([]) do @f([]) inits ["0"] results ["%h0"] in_place [] arena <slot, 0, "0">
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c4_body_missing arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op programs: got @g, expected an inner program of 1 arguments and 1 results (while_c4)}}
  host.while @f([]) do @g([]) inits ["0"] results ["%h0"] in_place []
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @while_c4_condition_takes_more arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op programs: got @f, expected an inner program of 2 arguments and 1 results (while_c4)}}
  host.while @f(["1"]) do @f([]) inits ["0"] results ["%h0"] in_place []
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @yield_c1_too_few arguments [] results [#host.value<"s", tensor<i64>, []>] arena "0" {
  // expected-error@+1 {{'host.yield' op values: got 0 for 1 results (yield_c1)}}
  host.yield []
}

// -----

host.program @yield_c2_extents arguments [] results [#host.value<"x", tensor<?xf32>, ["n"]>] arena "0" {
  // expected-error@+1 {{'host.yield' op values: got [#graph.dim<"1">, #graph.dim<"2">] for 'tensor<?xf32>', expected an expression, one per dimension, or unit (yield_c2)}}
  host.yield [["1", "2"]]
}

// -----

host.program @yield_c2_symbol arguments [] results [#host.value<"x", tensor<?xf32>, ["n"]>] arena "0" {
  // expected-error@+1 {{'host.yield' op values: got @f for 'tensor<?xf32>', expected an expression, one per dimension, or unit (yield_c2)}}
  host.yield [@f]
}

// -----

host.program @yield_c3_not_last arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.yield' op is followed by another step (yield_c3)}}
  host.yield []
  host.guard "1" "late"
}

// -----

func.func @branch_c1_counts(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op counts: got [1] for 2 functions and 2 captures (branch_c1)}}
  %r = host.branch %p, (%x, %x) to [@f, @f] counts [1] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c1_sum(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op counts: got [1, 2] for 2 functions and 2 captures (branch_c1)}}
  %r = host.branch %p, (%x, %x) to [@f, @f] counts [1, 2] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c2_boolean(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op functions: got 1, expected 2 (branch_c2)}}
  %r = host.branch %p, (%x) to [@f] counts [1] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c3_vector(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op selector: got 'tensor<i64>', expected a scalar of type i1 (branch_c3)}}
  %r = host.branch %n, (%x, %x) to [@f, @f] counts [1, 1] dims [["4"]] boolean : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c4_lists(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op dims: got 0 lists for 1 results (branch_c4)}}
  %r = host.branch %p, (%x, %x) to [@f, @f] counts [1, 1] dims [] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c4_entries(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op dims: got [] for 'tensor<4xf32>', expected an entry per dimension (branch_c4)}}
  %r = host.branch %p, (%x, %x) to [@f, @f] counts [1, 1] dims [[]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c5_no_such_operand(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op dims: got #host.operand_dim<7, 0>, expected an expression, a dimension of an operand, or an unknown one (branch_c5)}}
  %r = host.branch %p, (%x, %x) to [@f, @f] counts [1, 1] dims [[#host.operand_dim<7, 0>]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @branch_c6_no_such_function(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op functions: got @g, expected a function of the captures' and results' types (branch_c6)}}
  %r = host.branch %p, (%x, %x) to [@f, @g] counts [1, 1] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @loop_c1_types(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.loop' op inits: got 'tensor<i64>' for results 'tensor<i1>' (loop_c1)}}
  %r = host.loop(%n) while @c(%x) do @b(%x) dims [[]] : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<i1>
  return
}
func.func private @c(tensor<i64>, tensor<4xf32>) -> tensor<i1>
func.func private @b(tensor<i64>, tensor<4xf32>) -> tensor<i64>

// -----

func.func @loop_c2_entries(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.loop' op dims: got [#graph.dim<"4">] for 'tensor<i64>', expected an entry per dimension (loop_c2)}}
  %r = host.loop(%n) while @c(%x) do @b(%x) dims [["4"]] : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<i64>
  return
}
func.func private @c(tensor<i64>, tensor<4xf32>) -> tensor<i1>
func.func private @b(tensor<i64>, tensor<4xf32>) -> tensor<i64>

// -----

func.func @loop_c3_no_such_dim(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.loop' op dims: got #host.operand_dim<0, 1>, expected an expression, a dimension of an operand, or an unknown one (loop_c3)}}
  %r = host.loop(%x) while @c() do @b() dims [[#host.operand_dim<0, 1>]] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @c(tensor<i64>, tensor<4xf32>) -> tensor<i1>
func.func private @b(tensor<i64>, tensor<4xf32>) -> tensor<i64>

// -----

func.func @loop_c4_condition(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.loop' op condition: got @b, expected a function of the loop-carried values and captures that gives a scalar (loop_c4)}}
  %r = host.loop(%n) while @b() do @b(%x) dims [[]] : (tensor<i64>, tensor<4xf32>) -> tensor<i64>
  return
}
func.func private @c(tensor<i64>, tensor<4xf32>) -> tensor<i1>
func.func private @b(tensor<i64>, tensor<4xf32>) -> tensor<i64>

// -----

func.func @loop_c4_body(%p: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.loop' op body: got @c, expected a function of the loop-carried values and captures that gives the former (loop_c4)}}
  %r = host.loop(%n) while @c(%x) do @c(%x) dims [[]] : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<i64>
  return
}
func.func private @c(tensor<i64>, tensor<4xf32>) -> tensor<i1>
func.func private @b(tensor<i64>, tensor<4xf32>) -> tensor<i64>

// -----

func.func @branch_c7_number_twice(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'host.branch' op numbers: got [0, 0] for 2 shared values, expected as many that differ (branch_c7)}}
  host.branch %p, () to [@f, @f] counts [0, 0] dims [] boolean shares (%x, %x) as [0, 0] : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func private @f()

// -----

func.func @branch_c7_shared_around(%p: tensor<i1>, %x: tensor<4xf32>) {
  host.branch %p, (%x) to [@f] counts [1] dims [] shares (%p) as [3] : (tensor<i1>, tensor<4xf32>, tensor<i1>) -> ()
  return
}
func.func private @f(%x: tensor<4xf32>) attributes {host.nested} {
  %q = host.shared 3 dims [] : tensor<i1>
  // expected-error@+1 {{'host.branch' op numbers: got 3, under which an op around this one shares a value}}
  host.branch %q, () to [@g] counts [0] dims [] shares (%x) as [3] : (tensor<i1>, tensor<4xf32>) -> ()
  return
}
func.func private @g()

// -----

func.func @loop_c5_negative(%n: tensor<i64>) {
  // expected-error@+1 {{'host.loop' op numbers: got [-1] for 1 shared values, expected as many that differ (loop_c5)}}
  %r = host.loop(%n) while @c() do @b() dims [[]] shares (%n) as [-1] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}
func.func private @c(tensor<i64>) -> tensor<i1>
func.func private @b(tensor<i64>) -> tensor<i64>

// -----

func.func private @shared_c1_static_size() attributes {host.nested} {
  // expected-error@+1 {{'host.shared' op dims: got [#graph.dim<"5">] for 'tensor<4xf32>', expected the size of each dimension (shared_c1)}}
  %x = host.shared 0 dims ["5"] : tensor<4xf32>
  return
}

// -----

func.func @shared_c2_in_entry() {
  // expected-error@+1 {{'host.shared' op is not in a function that control ops run (shared_c2)}}
  %x = host.shared 0 dims ["4"] : tensor<4xf32>
  return
}

// -----

// What one op shares, the next one does not.
func.func @shared_c2_beside(%p: tensor<i1>, %x: tensor<4xf32>) {
  host.branch %p, () to [@f] counts [0] dims [] shares (%x) as [0] : (tensor<i1>, tensor<4xf32>) -> ()
  host.branch %p, () to [@f] counts [0] dims [] : (tensor<i1>) -> ()
  return
}
func.func private @f() attributes {host.nested} {
  // expected-error@+1 {{'host.shared' op number: got 0, under which no value is shared with the function (shared_c2)}}
  %x = host.shared 0 dims ["4"] : tensor<4xf32>
  return
}

// -----

func.func @shared_c2_type(%p: tensor<i1>, %x: tensor<4xf64>) {
  host.branch %p, () to [@f] counts [0] dims [] shares (%x) as [0] : (tensor<i1>, tensor<4xf64>) -> ()
  return
}
func.func private @f() attributes {host.nested} {
  // expected-error@+1 {{'host.shared' op number: got 0, under which a value of another type is shared with the function (shared_c2)}}
  %x = host.shared 0 dims ["4"] : tensor<4xf32>
  return
}

// -----

host.program @if_c5_numbers arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.if' op numbers: got [0, 1] for 1 shared values, expected as many that differ (if_c5)}}
  host.if "1" to [@f] arguments [[]] results [] shares ["1"] as [0, 1]
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
}

// -----

host.program @while_c5_numbers arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.while' op numbers: got [2, 2] for 2 shared values, expected as many that differ (while_c5)}}
  host.while @f([]) do @f([]) inits ["0"] results ["%h0"] in_place [] shares ["1", "2"] as [2, 2]
}

host.program @f arguments [#host.value<"s", tensor<i64>, []>] results [#host.value<"s", tensor<i64>, []>] arena "0" attributes {inner} {
}

// -----

host.program @program_c7_in_entry arguments [] results [] arena "0" {
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<shared, 0, "0">, which the program does not have (program_c7)}}
  host.copy <shared, 0, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

host.program @program_c7_other_number arguments [] results [] arena "0" {
  host.if "1" to [@f] arguments [[]] results [] shares [#host.buffer<arena, 0, "0">] as [0]
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<shared, 1, "0">, which no control step shares with the program (program_c7)}}
  host.copy <shared, 1, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

host.program @program_c7_scalar_as_bytes arguments [] results [] arena "0" {
  host.if "1" to [@f] arguments [[]] results [] shares ["7"] as [0]
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
  host.fetch "%i0" from <shared, 0, "0"> : i64
  // expected-error@+1 {{'host.copy' op buffer: got #host.buffer<shared, 0, "0">, which no control step shares with the program (program_c7)}}
  host.copy <shared, 0, "0"> to <arena, 0, "0"> bytes "4"
}

// -----

host.program @copy_c1_shared arguments [] results [] arena "0" {
  host.if "1" to [@f] arguments [[]] results [] shares [#host.buffer<arena, 0, "0">] as [0]
}

host.program @f arguments [] results [] arena "0" attributes {inner} {
  // expected-error@+1 {{'host.copy' op target: got #host.buffer<shared, 0, "0">, expected memory that may be written (copy_c1)}}
  host.copy <arena, 0, "0"> to <shared, 0, "0"> bytes "4"
}

// -----

func.func @store_row_c1_index(%x: tensor<1x4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{'host.store_row' op index: got 'tensor<1xi32>', expected a scalar of integers (store_row_c1)}}
  host.store_row %x[%i] of tensor<8x4xf32> at 0 : tensor<1x4xf32>, tensor<1xi32>
  return
}

// -----

func.func @store_row_c2_stack(%x: tensor<1x4xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'host.store_row' op row: got 'tensor<1x4xf32>', expected the type of a row of 'tensor<8x5xf32>' (store_row_c2)}}
  host.store_row %x[%i] of tensor<8x5xf32> at 0 : tensor<1x4xf32>, tensor<i32>
  return
}

// -----

func.func @load_row_c1_index(%i: tensor<f32>) {
  // expected-error@+1 {{'host.load_row' op index: got 'tensor<f32>', expected a scalar of integers (load_row_c1)}}
  %x = host.load_row %i of tensor<8x4xf32> at 0 : tensor<f32> -> tensor<1x4xf32>
  return
}

// -----

func.func @load_row_c2_dynamic(%i: tensor<i32>) {
  // expected-error@+1 {{'host.load_row' op row: got 'tensor<1x4xf32>', expected the type of a row of 'tensor<?x4xf32>' (load_row_c2)}}
  %x = host.load_row %i of tensor<?x4xf32> at 0 : tensor<i32> -> tensor<1x4xf32>
  return
}
