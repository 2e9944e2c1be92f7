// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of contents of every pass from GraphIR to machine code: what it does, when, what it refuses, an example.

#ifndef ZENITH_LOWERING_LOWERINGPASSES_TD
#define ZENITH_LOWERING_LOWERINGPASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineRegionsPass : Pass<"zenith-outline-regions", "::mlir::ModuleOp"> {
  let summary = "Turn the regions of control ops into functions";
  let description = [{
    The outline phase: each region of graph.if, graph.case and graph.while becomes a private function of the loop-carried
    values and of what the region uses from outside; the op becomes a host.branch or host.loop that names the functions.
    Constants, parameters and sizes are copied into the functions, loop-carried values that the body returns unchanged
    become arguments. Functions name their arguments' dimensions as their callers do, so that equal sizes stay equal.
    Runs when the graph is simplified and before anything that looks at one block at a time. Refuses control ops in the
    region of a reduction, a sort or a scatter: kernels have no control flow.

    Before and after (tests/lowering/program/outline-regions.mlir @choose):
    ```mlir
    %r = graph.if %p then { graph.yield %x : tensor<4xf32> } else { graph.yield %y : tensor<4xf32> } : ...
    %r = host.branch %p, (%x, %y) to [@choose_if0_then, @choose_if0_else] counts [1, 1] dims [["4"]] boolean : ...
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect", "::mlir::func::FuncDialect"];
}

def ScheduleKernelsPass : Pass<"zenith-schedule-kernels", "::mlir::ModuleOp"> {
  let summary = "Decide once what the kernel of each fusion will do";
  let description = [{
    The schedule phase: writes the attribute `schedule` of each graph.fusion, of dialect sched: tiles, lanes, tasks,
    scratch, which results may take over bytes, variants by sizes ([schedules](schedules.md)). Runs when fusions are
    formed; planning and emission read the attribute and decide nothing. A fusion that brings a schedule keeps it: what
    it leaves open is decided, and what emission cannot do is refused by the label of a constraint. With `explain`, each
    schedule is a remark (SCH001 of [remarks](remarks.md)). Refuses fusions for which there is no kernel, naming the op.

    Before and after (tests/lowering/decisions/schedule-kernels.mlir @chain):
    ```mlir
    %0 = graph.fusion pointwise (...) -> tensor<?x4xf32> {...}
    %0 = graph.fusion pointwise (...) -> tensor<?x4xf32> attributes {schedule = #sched.elements<on = task, block = 4096, lanes = 16, shares = [[0, 0]]>} {...}
    ```
  }];
  let dependentDialects = ["::zenith::sched::SchedDialect"];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each schedule">];
}

def OrderStepsPass : Pass<"zenith-order-steps", "::mlir::ModuleOp"> {
  let summary = "Put the steps of each function into an order that needs less memory";
  let description = [{
    The first pass of the phase remat: of the orders that the planner of memory finds (passes/remat), the one whose arena is the
    smallest, where that is smaller than that of the given order. Ops with effects keep their order, and what is behind a
    barrier stays there. Runs on scheduled functions, callees first, since the arena of a body is scratch of its loop. With
    `explain`, a new order is a remark (REM004 of [remarks](remarks.md)). Refuses what zenith-assign-buffers refuses.

    Before and after (tests/lowering/memory/order-steps.mlir @sum_moves_up):
    ```mlir
    %0 = graph.fusion pointwise (a...) ...   %1 = graph.fusion pointwise (b...) ...   %2 = graph.fusion reduction (%0) ...
    %0 = graph.fusion pointwise (a...) ...   %2 = graph.fusion reduction (%0) ...     %1 = graph.fusion pointwise (b...) ...
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect"];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each new order">];
}

def RematerializePass : Pass<"zenith-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Compute values a second time where the budget has no room to keep them";
  let description = [{
    Where the arena of an entry and its results need more than `budget-bytes`, and `mode` is auto, the cheapest plan of the planner
    (passes/remat) whose arena fits. Fusions that run again are copied with their schedules, so that results have the same bits;
    each copy has `graph.recomputes`, the symbol of its step. With `offload-rate` values may also wait in a file, where that takes
    less time than computing them again: they get barriers for zenith-offload-values. The list of plans does not depend on the budget: less memory costs at
    least as much arithmetic. A counted loop that writes a row of stacks in each trip, which later loops read row by row, as a scan
    of JAX does for its derivative, stacks the carried values that the rows rest on alone where fewer bytes are missing then, or less
    is computed again: the later loops run copies of the scheduled kernels that made the rows. Where that is still too much, carried
    values of every sqrt(trips)-th trip alone are stacked, and a later loop computes those of a segment of trips when it comes to it.
    With `offload-rate` stacks may lie in the file instead, as few as the budget needs, the largest first (`host.store_row`,
    `host.load_row`): that form of the module is taken that lacks the fewest bytes, of these the one that takes the least time.
    Bodies of loops get plans of their own where the entry lacks bytes at the step of the loop. An entry whose memory depends on sizes
    of its arguments stays as it is, for sizes that leave room, and gets up to two copies with `graph.plan_of`, its symbol: the plan
    for typical sizes, or one in the middle, and the plan of least memory. A run takes the first that fits its sizes. Entries get
    `graph.memory_facts`, JSON for reports. A budget that no plan meets is left to the caller, who compares the certificate. With `explain`, copies are remarks (REM001 of [remarks](remarks.md)).

    Before and after (tests/lowering/memory/rematerialize.mlir @chain):
    ```mlir
    %0 = graph.fusion pointwise (...) ... %1 = graph.fusion contraction (%0 ...) ... %2 = graph.fusion pointwise (%1, %0) ...
    %0 = graph.fusion pointwise (...) ... %1 = graph.fusion contraction (%0 ...) ... %3 = graph.fusion pointwise (...) attributes {graph.recomputes = @step0} ...
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect"];
  let options = [
    Option<"mode", "mode", "std::string", "\"auto\"", "off, policy or auto: only auto computes more than the program says">,
    Option<"budgetBytes", "budget-bytes", "int64_t", "0", "memory that a run may allocate; 0: any">,
    Option<"offloadRate", "offload-rate", "int64_t", "0", "bytes a second that go to a file and back; 0: none do">,
    Option<"explain", "explain", "bool", "false", "emit a remark for each step that runs again">];
}

def OffloadValuesPass : Pass<"zenith-offload-values", "::mlir::ModuleOp"> {
  let summary = "Let values wait in a file while nothing reads them";
  let description = [{
    The last pass of the phase remat. A barrier with `graph.offload`, which the program's placements and zenith-rematerialize leave,
    lets its readers find the value in a file: it is written behind the step that makes it (`graph.place host`), and read ahead of
    the first of these readers (`graph.place device`); barriers with `host.awaits` wait for both. Transfers start early and are
    waited for late where the peak of memory stays the same, as a model of a file of `offload-rate` bytes a second says they need.
    Entries get `host.file_bytes`. Left out, as remarks with `explain` (REM002 of [remarks](remarks.md), REM003 for what goes): values
    outside of the arena or of unknown sizes, and values that are read all the time. Results have the same bits.

    Before and after (tests/lowering/memory/offload-values.mlir @chain):
    ```mlir
    %0 = graph.fusion pointwise (...) ...   %1 = graph.fusion pointwise (%0) ...   %2 = graph.barrier %0 {graph.offload} ...
    %0 = graph.fusion pointwise (...) ...   %f = graph.place %0 host {host.file_offset = 0} ...   %3 = graph.place %f device ...
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect"];
  let options = [
    Option<"offloadRate", "offload-rate", "int64_t", "1073741824", "bytes a second that go to the file and back">,
    Option<"explain", "explain", "bool", "false", "emit a remark for each value that goes or stays">];
}

def AssignBuffersPass : Pass<"zenith-assign-buffers", "::mlir::ModuleOp"> {
  let summary = "Assign a buffer to every value";
  let description = [{
    The plan phase: writes the buffer assignment (lowering/memory/PlanBuffers.h) into the IR. Each op with values in
    memory gets `host.buffers`, fusions with scratch `host.scratch`, functions `host.arena` and `host.activations`, the
    module `host.derived_bytes`. Runs when fusions have schedules, which say what scratch kernels need and which results
    may take over bytes. Values whose size depends on data get slots, and the last readers of slots `host.deallocs`; control ops
    get `host.nested_arena` for the functions that they name. Refuses ops with values in memory that are no fusions.

    Before and after (tests/lowering/memory/assign-buffers.mlir @chain):
    ```mlir
    %0 = graph.fusion pointwise (...) -> tensor<?x4xf32> {...}
    %0 = graph.fusion pointwise (...) -> tensor<?x4xf32> attributes {host.buffers = [#host.buffer<arena, 0, "0">]} {...}
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect"];
}

def BuildHostProgramPass : Pass<"zenith-build-host-program", "::mlir::ModuleOp"> {
  let summary = "Turn fusions into kernels and functions into programs of launches";
  let description = [{
    The kernels phase: emits the kernels of each fusion into `module @kernels`, shares those that are equal, and
    replaces each function by a host.program with the launches in order. Needs the buffers of the plan phase.
    Sizes that depend on data become symbols that steps bind. With `explain`, a kernel that the host runs for a device
    is a remark (DEV001 of [remarks](remarks.md)). Refuses fusions for which there is no kernel, naming the op.

    Before and after (tests/lowering/program/build-host-program.mlir @two_equal_kernels):
    ```mlir
    %0 = graph.fusion pointwise (...) -> tensor<?x4xf32> attributes {host.buffers = [...]} {...}
    host.launch @kernels::@k0_pointwise pointers [...] sizes ["batch"] tasks "batch" cost 6.4e+01
    ```
  }];
  let dependentDialects = ["::zenith::host::HostDialect", "::mlir::func::FuncDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each kernel that falls back to the host">];
}

def ConvertKernelsToLLVMPass : Pass<"zenith-convert-kernels-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert kernels to LLVM functions on bare pointers";
  let description = [{
    The cpu phase: converts the functions of `module @kernels`, or of a module of kernels alone. Pointers become
    `noalias` unless `zenith.may_alias` says otherwise. compile() does the same on several threads, a few kernels at
    a time; this pass serves dumps and tests. Refuses memrefs with layouts or dynamic sizes.

    Before and after (tests/lowering/cpu/convert-kernels-to-llvm.mlir @scale):
    ```mlir
    func.func @scale(%x: memref<1099511627776xf32>, %begin: index, %end: index)
    llvm.func @scale(%x: !llvm.ptr {llvm.noalias}, %begin: i64, %end: i64)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // ZENITH_LOWERING_LOWERINGPASSES_TD
