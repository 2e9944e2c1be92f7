// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of generators that are not closed under inverses: known states are a list with an index, as keys or as rows.
//
// Layers of one to three states, and their number where the first one comes again.
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=2000 --without=dense-index,marks,bit-rows --explain=search --json=%t.json 2>&1 > /dev/null | FileCheck --check-prefix=KEYS %s
// KEYS: SEA012 {{.*}}known states, as keys, are found by an index
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=2000 --without=dense-index,marks,bit-rows > %t.keys
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=2000 --without=keys,dense-index,marks,bit-rows --explain=search 2>&1 > %t.rows | FileCheck --check-prefix=ROWS %s
// ROWS: SEA012 {{.*}}known states, as rows, are found by an index
// RUN: diff %t.keys %t.rows
// RUN: FileCheck --check-prefix=LAYERS %s < %t.keys
// LAYERS: layers: [1, 2, 3, 3, 3, 3,
//
// Many states in a layer, whose candidates are told apart before they are looked up; without an index the same.
// RUN: zenith-search bfs lx:8 > %t.whole
// RUN: zenith-search bfs lx:8 --without=dense-index,marks,bit-rows | diff %t.whole -
// RUN: zenith-search bfs lx:8 --without=dense-index,marks,bit-rows,known-index | diff %t.whole -
// RUN: zenith-search bfs lx:8 --without=keys,dense-index,marks,bit-rows | diff %t.whole -
// RUN: zenith-search bfs lx:8 --without=keys,dense-index,marks,bit-rows,known-index | diff %t.whole -
// RUN: zenith-search bfs lx:8 --without=dense-index,marks,bit-rows --max-memory=4M | diff %t.whole -
// RUN: zenith-search bfs lx:8 --without=dense-index,marks,bit-rows --threads=1 | diff %t.whole -
// RUN: zenith-search bfs lx:6 --target=interp > %t.interp
// RUN: zenith-search bfs lx:6 --without=dense-index,marks,bit-rows | diff %t.interp -
//
// Stored layers have their order, all of them or some.
// RUN: zenith-search bfs lx:7 --store-layers=%t.all.npy
// RUN: zenith-search bfs lx:7 --without=known-index --store-layers=%t.old.npy
// RUN: cmp %t.all.npy %t.old.npy
// RUN: zenith-search bfs lx:7 --store-layers=%t.last.npy --layers=last
// RUN: zenith-search bfs lx:7 --without=known-index --store-layers=%t.old.npy --layers=last
// RUN: cmp %t.last.npy %t.old.npy
//
// In parts, and on from a checkpoint.
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=300 --without=dense-index,marks,bit-rows > %t.whole
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=300 --without=dense-index,marks,bit-rows --stepwise=100 | FileCheck --check-prefix=PARTS %s
// PARTS: "layer":3,"more":true,"step":1}
// PARTS: "step":3}
// PARTS: layers: [1, 2, 3, 3,
// RUN: rm -rf %t.kept && zenith-search bfs %S/Inputs/cycles.gap --max-layers=200 --without=dense-index,marks,bit-rows --checkpoint-dir=%t.kept --checkpoint-every=7
// RUN: zenith-search bfs %S/Inputs/cycles.gap --max-layers=300 --without=dense-index,marks,bit-rows --resume=%t.kept | diff %t.whole -
//
// Killed at some moment, with bits, keys and an index; more kills by hand.
// RUN: %python %S/Inputs/killed_search.py zenith-search lrx:8 2 1 | FileCheck --check-prefix=KILLED %s
// RUN: %python %S/Inputs/killed_search.py zenith-search lrx:8 2 2 --no-dense-index | FileCheck --check-prefix=KILLED %s
// RUN: %python %S/Inputs/killed_search.py zenith-search lx:8 2 3 --without=dense-index,marks,bit-rows | FileCheck --check-prefix=KILLED %s
// KILLED: 2 kills, {{.*}} the layers are the same
//
// Paths: both ends have one list of known states, whose links come with them; what is read of them is the same without an index, in the
// interpreter, and in parts.
// RUN: zenith-search bfs lx:7 --store-layers=%t.far.npy --layers=last
// RUN: zenith-search path lx:7 --from=@%t.far.npy --explain=search 2>&1 > %t.paths | FileCheck --check-prefix=PATH %s
// PATH: SEA012 {{.*}}known states, as rows, are found by an index
// RUN: FileCheck --check-prefix=FOUND %s < %t.paths
// FOUND: path: {{([LX] )+[LX]$}}
// RUN: zenith-search path lx:7 --from=@%t.far.npy --without=known-index | diff %t.paths -
// RUN: zenith-search path lx:7 --from=@%t.far.npy --stepwise=7 | grep path: | diff %t.paths -
// RUN: zenith-search bfs lx:6 --store-layers=%t.far.npy --layers=last
// RUN: zenith-search path lx:6 --from=@%t.far.npy > %t.paths
// RUN: zenith-search path lx:6 --from=@%t.far.npy --target=interp | diff %t.paths -
