// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many cores this process may use.

#ifndef ZENITH_RUNTIME_CORECOUNT_H
#define ZENITH_RUNTIME_CORECOUNT_H

#include <string>

namespace zenith::runtime {

/// Cores that affinity and cgroup quota grant to this process, at least 1; a
/// quota of 1.5 cores counts as 2.
int grantedCores();

/// The best number of threads where `wanted` are asked for, 0 = as many as
/// there are cores: more threads than cores would preempt each other.
int usefulThreads(int wanted);

/// Cores of a cgroup v2 "cpu.max" text ("150000 100000", "max 100000"), rounded
/// up; 0 = no quota or unreadable text.
int coresOfQuota(const std::string &cpuMax);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_CORECOUNT_H
