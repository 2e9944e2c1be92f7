// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --target-model: names, files, what they are made of, and what is wrong with them.
//
// RUN: zenith-compile %s --to=layout --target-model=znver5 | FileCheck %s --check-prefix=NAMED
// RUN: zenith-opt %s --to=layout --target-model=znver5 | FileCheck %s --check-prefix=NAMED
// RUN: zenith-compile %s --emit=asm --target-model=neoverse-v2 | FileCheck %s --check-prefix=OTHER
// RUN: zenith-compile %s --to=layout --target=opencl --target-model=gpu-generic-64 | FileCheck %s --check-prefix=DEVICE
// RUN: zenith-compile %s --emit=opencl --target=opencl --target-model=mobile-16k -o /dev/null
// RUN: echo '{"l2_bytes": 65536,' > %t.json && echo ' "processors": ["x86-64-v3"], "avx512": false, "lanes": 8, "registers": 16, "nr": 16, "vnni": false, "bf16_pairs": false, "vbmi": false}' >> %t.json
// RUN: zenith-compile %s --to=layout --target-model=%t.json | FileCheck %s --check-prefix=FILE
// RUN: zenith-run %s --random-inputs --target-model=%t.json --compare=interp --print=0
// RUN: not zenith-run %s --random-inputs --target-model=znver6 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not zenith-opt %s --target-model=znver6 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: echo '{"lanes": 8,' > %t-key.json && echo '"l2_byte": 1}' >> %t-key.json
// RUN: not zenith-run %s --random-inputs --target-model=%t-key.json 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: echo '{"gbps": "fast"}' > %t-type.json
// RUN: not zenith-compile %s --target-model=%t-type.json 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not zenith-compile %s --target-model=%t-none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zenith-compile %s --target=cpu:x86-64-v3 --target-model=znver4 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: not zenith-compile %s --target-model=nvidia-sm90 2>&1 | FileCheck %s --check-prefix=NO-DEVICE
// RUN: not zenith-compile %s --target=opencl --target-model=znver4 2>&1 | FileCheck %s --check-prefix=IS-DEVICE
// RUN: not zenith-run %s --random-inputs --target-model=neoverse-v2 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: not zenith-run %s --random-inputs --target=interp --target-model=avx2 2>&1 | FileCheck %s --check-prefix=INTERP
// RUN: zenith-compile %s --emit=opencl --target-model=nvidia-sm80 | FileCheck %s --check-prefix=TEXT

// INTERP: error: --target-model has no effect with --target=interp
// TEXT: kernel
// NAMED: #graph.target<"cpu:znver5", {{.*}}l1_bytes = 49152, l1_ways = 12,
// OTHER: fmla
// DEVICE: #graph.target<"opencl", kind = gpu, device = true, {{.*}}subgroup = 64,
// FILE: #graph.target<"cpu:x86-64-v3", {{.*}}l2_bytes = 65536,
// UNKNOWN: error: unknown target model 'znver6'; did you mean 'znver{{.}}'? There are files, FILE.json, and avx2, znver3,
// KEY: {{.*}}-key.json:2: error: 'l2_byte': is no key of a target model; did you mean 'l2_bytes'?
// TYPE: {{.*}}-type.json:1: error: 'gbps': got "fast", expected a number
// NONE: {{.*}}-none.json: error: cannot read the model: No such file or directory
// LACKS: error: --target-model=znver4: 'avx512': target 'cpu:x86-64-v3' lacks it
// NO-DEVICE: error: --target-model=nvidia-sm90: 'device': target 'cpu' lacks it
// IS-DEVICE: error: --target-model=znver4: 'device': target 'opencl' is one
// ELSEWHERE: error: --target-model=neoverse-v2: 'triple': this machine cannot run code for aarch64
module {
  graph.param @w : tensor<128x256xf32> = dense<0.5> : tensor<128x256xf32>
  func.func @main(%x: tensor<64x128xf32>) -> tensor<64x256xf32> {
    %w = graph.get_param @w : tensor<128x256xf32>
    %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    return %r : tensor<64x256xf32>
  }
}
