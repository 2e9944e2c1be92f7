// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step with a scaled loss: gradients that are finite change parameters and
// let the scale grow; others change the scale alone.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-opt %S/../passes/precision/scale-loss.mlir --pass-pipeline='builtin.module(zenith-scale-loss{interval=2 max-scale=16})' -o %t/step.mlir
// RUN: %python %S/Inputs/raw_files.py %t w=f:1,2,3 n=f:5 x=f:1,1,1 bad=f:1,inf,1 s=f:8 g=i:1 new=f:0,1,2 next=f:6 grown=f:16 zero=i:0 shrunk=f:4
// RUN: zenith-run %t/step.mlir --entry=step --in w=f32[3]:%t/w.raw --in count=f32[]:%t/n.raw --in x=f32[3]:%t/x.raw --in loss_scale=f32[]:%t/s.raw --in good_steps=i32[]:%t/g.raw --expect 0=f32[3]:%t/new.raw --expect 1=f32[]:%t/next.raw --expect 3=f32[]:%t/grown.raw --expect 4=i32[]:%t/zero.raw
// RUN: zenith-run %t/step.mlir --entry=step --in w=f32[3]:%t/w.raw --in count=f32[]:%t/n.raw --in x=f32[3]:%t/bad.raw --in loss_scale=f32[]:%t/s.raw --in good_steps=i32[]:%t/g.raw --expect 0=f32[3]:%t/w.raw --expect 1=f32[]:%t/n.raw --expect 3=f32[]:%t/shrunk.raw --expect 4=i32[]:%t/zero.raw
// The largest scale stays.
// RUN: zenith-run %t/step.mlir --entry=step --in w=f32[3]:%t/w.raw --in count=f32[]:%t/n.raw --in x=f32[3]:%t/x.raw --in loss_scale=f32[]:%t/grown.raw --in good_steps=i32[]:%t/g.raw --expect 3=f32[]:%t/grown.raw --expect 4=i32[]:%t/zero.raw
