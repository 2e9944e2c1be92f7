// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute by which a module says what machine it is compiled for.

#ifndef ZENITH_IR_TARGET_TARGETATTR_TD
#define ZENITH_IR_TARGET_TARGETATTR_TD

include "mlir/IR/AttrTypeBase.td"
include "ir/GraphDialect.td"

def Graph_TargetAttr : AttrDef<Graph_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the machine that a module is compiled for";
  let description = [{
    `text` is the target as the user wrote it ("cpu", "cpu:haswell", "opencl:1");
    the named parameters are the fields of TargetModel (ir/target/TargetModel.h),
    which says what each of them means. A parameter that is left out has the
    value of the generic model. Modules carry it as `graph.target`; passes and
    kernels read the machine from there only.

    Constraints:
    - target_c1: `lanes` is a power of two, at most 64.
    - target_c2: `nr` is a positive multiple of `lanes`, and `mr` is positive.
    - target_c3: `k_interleave` is 1, 2 or 4.
    - target_c4: `line` is a power of two, 0 < `l1_bytes` <= `l2_bytes` <= `l3_bytes`, and `l1_ways` divides `l1_bytes`.
    - target_c5: counts and throughputs are not negative; `registers`, `units`, `memory_bytes_per_cycle`, `vector_fmas_per_cycle`, `f32_gflops`, `gbps` and `task_us` are positive.
    - target_c6: `max_group` is positive, `subgroup` a power of two; only devices are of kind gpu, and no device has instruction sets of processors.

    Example:
    ```mlir
    module attributes {graph.target = #graph.target<"cpu:haswell", lanes = 8, nr = 16>} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"target as the user wrote it">:$text,
                        "::zenith::target::TargetModel":$model);
  let assemblyFormat = "`<` $text `` custom<TargetModel>($model) `>`";
  let genVerifyDecl = 1;
}

#endif // ZENITH_IR_TARGET_TARGETATTR_TD
