// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs over random meshes, as text.

#ifndef ZENITH_TESTS_PASSES_SHARDING_MESHPROGRAMS_H
#define ZENITH_TESTS_PASSES_SHARDING_MESHPROGRAMS_H

#include <cstdint>
#include <string>

namespace zenith {

struct MeshProgram {
  std::string text; ///< of a module with @mesh and @main
  int64_t devices = 1;
};

/// A function of a dozen ops of all families on small values, with shardings on
/// arguments, results and values between; `seed` decides all. Elements are f32
/// or i64, in the latter case so that results are exact.
MeshProgram randomMeshProgram(uint32_t seed);

} // namespace zenith

#endif // ZENITH_TESTS_PASSES_SHARDING_MESHPROGRAMS_H
