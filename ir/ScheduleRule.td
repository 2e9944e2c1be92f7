// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question that a fusion's attribute `schedule` answers: what will its kernel do? The attributes are lowering's.

#ifndef ZENITH_IR_SCHEDULERULE_TD
#define ZENITH_IR_SCHEDULERULE_TD

include "mlir/IR/Interfaces.td"

def Graph_Schedule : AttrInterface<"Schedule"> {
  let cppNamespace = "::zenith::graph";
  let description = [{
    What a schedule says of the kernel of a fusion. `fusion` is the graph.fusion that holds the attribute; `dims` knows the
    dimensions of the function around it. Implemented by the attributes of dialect `sched` (lowering/schedule/Schedule.td).
  }];
  let methods = [
    InterfaceMethod<"The attribute's name in its dialect: \"gemm\".", "::llvm::StringRef", "kind">,
    InterfaceMethod<"Who does one task.", "::zenith::graph::RunOn", "runsOn">,
    InterfaceMethod<"Number of tasks, or of groups, of the fusion's largest launch.", "::zenith::graph::DimExpr", "tasks",
                    (ins "::mlir::Operation *":$fusion, "::zenith::graph::DimAnalysis &":$dims)>,
    InterfaceMethod<"Bytes of each scratch buffer.", "::llvm::SmallVector<::zenith::graph::DimExpr>", "scratch",
                    (ins "::mlir::Operation *":$fusion, "::zenith::graph::DimAnalysis &":$dims)>,
    InterfaceMethod<"Bytes of local memory of a group; 0 for tasks.", "int64_t", "localBytes",
                    (ins "::mlir::Operation *":$fusion)>,
    InterfaceMethod<"Results that may take over the bytes of operands.",
                    "::llvm::SmallVector<::zenith::graph::SharedBytes>", "shares">,
    InterfaceMethod<"What a run costs, with dynamic dimensions at their typical size.", "::zenith::graph::ScheduleCost",
                    "cost", (ins "::mlir::Operation *":$fusion, "::zenith::graph::DimAnalysis &":$dims,
                                 "const ::zenith::target::TargetModel &":$model)>,
    InterfaceMethod<"Checks constraints sched_c1 to sched_c14 as far as types say; reports at the fusion.",
                    "::llvm::LogicalResult", "verifyFusion", (ins "::mlir::Operation *":$fusion)>
  ];
}

#endif // ZENITH_IR_SCHEDULERULE_TD
