// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a function that is one fusion of its arguments, from the parts that
// differ between tests.

#ifndef ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H
#define ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H

#include <string>

namespace zenith::testing {

/// `arguments` as "%a : tensor<..>, ..."; `body` computes what `yields` names
/// ("%r" or "%r, %s"), of the types `results` ("tensor<..>" or "tensor<..>,
/// tensor<..>").
std::string fusionText(const std::string &kind, const std::string &arguments,
                       const std::string &results, const std::string &body,
                       const std::string &yields = "%r");

} // namespace zenith::testing

#endif // ZENITH_TESTS_LOWERING_KERNELS_FUSIONTEXT_H
