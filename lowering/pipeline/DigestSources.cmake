# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes version and digest of the compiler's sources as a C string: a cache of compiled programs must not survive a
# change of the compiler. cmake -DROOT=... -DOUT=... -DVERSION=... -DFLAGS=... -P DigestSources.cmake

set(patterns)
foreach(folder ir passes lowering runtime)
  foreach(suffix cpp h td def)
    list(APPEND patterns ${ROOT}/${folder}/*.${suffix})
  endforeach()
endforeach()
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${patterns})
list(SORT sources)
set(all "${FLAGS}")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND all "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "\"${VERSION}, sources ${digest}\"\n")
