// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches under a cap for memory: what exceeds it goes to files without names, and nothing else changes.
//
// Lists of keys, with and without blocks and ranges.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: zenith-search bfs lrx:8 --without=bit-rows,dense-index,marks --max-memory=1M --max-spill=1G --spill-dir=%t.dir --explain=search --json=%t.json > %t.out 2> %t.err
// RUN: cat %t.json >> %t.out
// RUN: FileCheck --check-prefix=LAYERS %s < %t.out
// RUN: FileCheck --check-prefix=RANGES %s < %t.err
// RUN: zenith-search bfs lrx:8 --without=bit-rows,dense-index,marks,key-ranges --max-memory=1M --max-spill=1G --spill-dir=%t.dir --json=%t.json > %t.out
// RUN: cat %t.out %t.json | FileCheck --check-prefix=LAYERS %s
// RUN: ls -A %t.dir | count 0
// LAYERS: layers: [1, 3, 6, 12, 23, 44, 80, 142, 247, 411, 662, 1019, 1481, 2059, 2745, 3465, 4126, 4633, 4913, 4777, 4163, 3079, 1612, 488, 94, 25, 6, 3, 1]
// LAYERS: "spilled_bytes":{{[1-9]}}
// RANGES: SEA007 "lrx:8": layers of more than {{[0-9]+}} states are expanded in blocks, by ranges of hashes
// RANGES: SEA201 lrx:8: {{[0-9]+}} bytes were in files of
//
// All layers of a directed graph, and several words without a mask of inverse generators.
// RUN: zenith-search bfs lx:7 --max-memory=300K --max-spill=1G > %t.small
// RUN: zenith-search bfs lx:7 | diff - %t.small
// RUN: zenith-search bfs cube_333_htm --max-layers=3 --without=back-bits --max-memory=300K --max-spill=1G > %t.small
// RUN: zenith-search bfs cube_333_htm --max-layers=3 | diff - %t.small
//
// Rows, whose layers are stored, and paths.
// RUN: zenith-search bfs lrx:7 --store-layers=%t.npy
// RUN: zenith-search bfs lrx:7 --store-layers=%t.small.npy --max-memory=500K --max-spill=1G
// RUN: cmp %t.npy %t.small.npy
// RUN: zenith-search path lrx:8 --from=7,5,3,1,6,4,2,0 > %t.path
// RUN: zenith-search path lrx:8 --from=7,5,3,1,6,4,2,0 --max-memory=300K --max-spill=1G | diff - %t.path
//
// Files have a cap, too, and a limit of the system's that is no signal; what was found is said, and the next run is as good as ever.
// RUN: not zenith-search bfs lrx:9 --without=bit-rows,dense-index,marks --max-memory=1M --max-spill=2M --spill-dir=%t.dir > %t.out 2> %t.err
// RUN: FileCheck --check-prefix=CUT %s < %t.out
// RUN: FileCheck --check-prefix=FULL %s < %t.err
// RUN: sh -c 'ulimit -f 2000; zenith-search bfs lrx:9 --without=bit-rows,dense-index,marks --max-memory=1M --max-spill=1G --spill-dir=%t.dir; echo status $?' > %t.out 2> %t.err
// RUN: FileCheck --check-prefixes=CUT,STATUS %s < %t.out
// RUN: FileCheck --check-prefix=LIMIT %s < %t.err
// RUN: not zenith-search bfs lrx:9 --without=bit-rows,dense-index,marks --max-memory=1M --spill-dir=none 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: ls -A %t.dir | count 0
// CUT: layers: [1, 3, 6, 12, 24, 46,
// CUT: incomplete
// STATUS: status 5
// FULL: error: a buffer of {{[0-9]+}} bytes does not fit: {{[0-9]+}} bytes are in use of a budget of 1048576; {{.*}}.dir: {{[0-9]+}} bytes are in files, and another one has no room: they may take 2097152; layers 0 to {{[0-9]+}} have {{[0-9]+}} states
// LIMIT: another one has no room: File too large; layers 0
// NONE: does not fit: {{[0-9]+}} bytes are in use of a budget of 1048576; layers 0
//
// Stored layers that were found are stored.
// RUN: not zenith-search bfs lrx:9 --store-layers=%t.part.npy --max-memory=2M --max-spill=4M > %t.out
// RUN: FileCheck --check-prefix=PART %s < %t.out
// RUN: zenith-search bfs lrx:9 --start=@%t.part.npy --max-layers=0 | FileCheck --check-prefix=STORED %s
// PART: layers: [1, 3, 6,
// PART: incomplete
// PART: stored: layers 0 to
// STORED: layers: [{{[1-9][0-9][0-9][0-9]+}}]
//
// Killed, it leaves nothing.
// RUN: sh -c 'zenith-search bfs cube_333_qtm --max-memory=4M --max-spill=1G --spill-dir=%t.dir & sleep 1; kill -9 $!; wait $!; ls -A %t.dir | wc -l' 2>&1 | FileCheck --check-prefix=KILLED %s
// KILLED: {{^}}0{{$}}
//
// RUN: not zenith-search bfs lrx:4 --max-memory=1M --spill-dir=%t.dir/none 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: --spill-dir needs a folder
