// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a function that is one fusion of its arguments, from the parts that
// differ between tests.

#ifndef ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H
#define ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace zenith::testing {

/// `arguments` as "%a : tensor<..>, ..."; `body` computes what `yields` names
/// ("%r" or "%r, %s"), of the types `results` ("tensor<..>" or "tensor<..>,
/// tensor<..>").
std::string fusionText(const std::string &kind, const std::string &arguments,
                       const std::string &results, const std::string &body,
                       const std::string &yields = "%r");

/// "tensor<2x?xf32>"; sizes below 0 are dynamic.
std::string tensorText(const std::vector<int64_t> &shape,
                       const std::string &element);

} // namespace zenith::testing

#endif // ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H
