// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches on a device, in one piece and in parts, have the layers, paths and bits of those on the processor.
//
// REQUIRES: opencl
// RUN: zenith-search bfs lrx:6 --store-layers=%t.cpu.npy > %t.whole
// RUN: zenith-search bfs lrx:6 --target=opencl | diff %t.whole -
// RUN: zenith-search bfs lrx:6 --target=opencl --stepwise=4 | grep layers: | diff %t.whole -
// RUN: zenith-search bfs lrx:6 --target=opencl --stepwise --store-layers=%t.device.npy | grep layers: | diff %t.whole -
// RUN: cmp %t.cpu.npy %t.device.npy
// RUN: zenith-search bfs lx:5 --without=dense-index,marks,bit-rows > %t.whole
// RUN: zenith-search bfs lx:5 --without=dense-index,marks,bit-rows --target=opencl | diff %t.whole -
// RUN: zenith-search bfs lx:5 --without=dense-index,marks,bit-rows --target=opencl --stepwise | grep layers: | diff %t.whole -
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero > %t.whole
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero --target=opencl --stepwise | grep path: | diff %t.whole -
// RUN: zenith-search path lrx:6 --from=543210 > %t.whole
// RUN: zenith-search path lrx:6 --from=543210 --target=opencl --stepwise | grep path: | diff %t.whole -
