// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of permutation groups by name and size: rotations, reversals,
// transpositions and cycles.

#include "frontends/cayley/PermutationFamilies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace zenith::cayley {

using Sizes = ArrayRef<int64_t>;

namespace {

Permutation identity(int64_t n) {
  Permutation result(n);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// Collects generators on states of n positions; refuses more than fit.
class Generators {
public:
  Generators(StateGraph &graph, int64_t n) : graph(graph), n(n) {
    graph.central.resize(n);
    std::iota(graph.central.begin(), graph.central.end(), 0);
  }
  void add(const Twine &name, Permutation permutation) {
    entries += n;
    if (!fits())
      return;
    graph.generatorNames.push_back(name.str());
    graph.permutations.push_back(std::move(permutation));
  }
  /// Position c[0] gets the element of c[1], and so on round the cycle.
  void addCycle(const Twine &name, ArrayRef<int64_t> cycle) {
    Permutation permutation = identity(n);
    for (size_t i = 0; i < cycle.size(); ++i)
      permutation[cycle[i]] = cycle[(i + 1) % cycle.size()];
    add(name, std::move(permutation));
  }
  void addReversal(const Twine &name, int64_t first, int64_t last) {
    Permutation permutation = identity(n);
    std::reverse(permutation.begin() + first, permutation.begin() + last + 1);
    add(name, std::move(permutation));
  }
  bool fits() const { return entries <= maxGeneratorEntries; }

private:
  StateGraph &graph;
  int64_t n, entries = 0;
};

std::string joined(ArrayRef<int64_t> numbers, StringRef separator) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : separator.str()) + std::to_string(number);
  return text;
}
std::string cycleName(ArrayRef<int64_t> cycle, StringRef separator = ",") {
  return "(" + joined(cycle, separator) + ")";
}
std::string joined(const Permutation &permutation, StringRef separator) {
  return joined(std::vector<int64_t>(permutation.begin(), permutation.end()),
                separator);
}

/// first, first + 1, ... (count of them), each modulo n.
std::vector<int64_t> run(int64_t first, int64_t count, int64_t n) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back((first + i) % n);
  return result;
}

Permutation rotation(int64_t n, int64_t from, int64_t step) {
  Permutation result = identity(n);
  int64_t size = n - from;
  for (int64_t i = 0; i < size; ++i)
    result[from + i] = from + (i + step + size) % size;
  return result;
}

/// Calls `visit` with every choice of k out of 0 .. n-1, in lexicographic
/// order, until it says false.
template <typename Visit>
void forEachChoice(int64_t n, int64_t k, Visit visit) {
  std::vector<int64_t> choice = run(0, k, n + k);
  while (visit(ArrayRef<int64_t>(choice))) {
    int64_t place = k - 1;
    while (place >= 0 && choice[place] == n - k + place)
      --place;
    if (place < 0)
      return;
    ++choice[place];
    for (int64_t i = place + 1; i < k; ++i)
      choice[i] = choice[i - 1] + 1;
  }
}

bool lrx(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0], k = sizes.size() > 1 ? sizes[1] : 1;
  if (n < 2 || k < 1 || k >= n)
    return false;
  Generators generators(graph, n);
  generators.add("L", rotation(n, 0, 1));
  generators.add("R", rotation(n, 0, -1));
  generators.addCycle("X", {0, k});
  return generators.fits();
}

bool lx(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  generators.add("L", rotation(n, 0, 1));
  generators.addCycle("X", {0, 1});
  return generators.fits();
}

bool topSpin(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0], k = sizes.size() > 1 ? sizes[1] : 4;
  if (k < 2 || n < k)
    return false;
  Generators generators(graph, n);
  Permutation reversal = identity(n);
  std::reverse(reversal.begin(), reversal.begin() + k);
  for (const Permutation &generator :
       {rotation(n, 0, 1), rotation(n, 0, -1), reversal})
    generators.add(joined(generator, ","), generator);
  return generators.fits();
}

bool larx(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  Permutation swap = identity(n);
  std::swap(swap[0], swap[1]);
  for (const Permutation &generator : {swap, rotation(n, 1, 1)})
    generators.add("(" + joined(generator, " ") + ")", generator);
  return generators.fits();
}

bool lslCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  generators.add("L", rotation(n, 0, 1));
  generators.add("S", rotation(n, 1, 1));
  generators.add("L_inv", rotation(n, 0, -1));
  generators.add("S_inv", rotation(n, 1, -1));
  return generators.fits();
}

bool pancake(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t last = 1; last < n && generators.fits(); ++last)
    generators.addReversal("R" + Twine(last), 0, last);
  return generators.fits();
}

bool fullReversals(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t first = 0; first < n && generators.fits(); ++first)
    for (int64_t last = first + 1; last < n && generators.fits(); ++last)
      generators.addReversal("R[" + Twine(first) + ".." + Twine(last) + "]",
                             first, last);
  return generators.fits();
}

/// Element i lies face up at i and face down at i + n: turning positions
/// first .. last over reverses them and exchanges the sides.
Permutation turned(int64_t n, int64_t first, int64_t last) {
  Permutation result = identity(2 * n);
  for (int64_t i = first; i <= last; ++i) {
    result[i] = first + last - i + n;
    result[i + n] = first + last - i;
  }
  return result;
}

bool burntPancake(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 1 || 2 * n > maxPositions)
    return false;
  Generators generators(graph, 2 * n);
  for (int64_t count = 1; count <= n && generators.fits(); ++count)
    generators.add("R" + Twine(count), turned(n, 0, count - 1));
  return generators.fits();
}

bool signedReversals(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 1 || 2 * n > maxPositions)
    return false;
  Generators generators(graph, 2 * n);
  for (int64_t first = 0; first < n && generators.fits(); ++first)
    for (int64_t last = first; last < n && generators.fits(); ++last)
      generators.add("R[" + Twine(first) + ".." + Twine(last) + "]",
                     turned(n, first, last));
  return generators.fits();
}

bool coxeter(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t i = 0; i + 1 < n && generators.fits(); ++i)
    generators.addCycle(cycleName({i, i + 1}), {i, i + 1});
  return generators.fits();
}

bool cyclicCoxeter(Sizes sizes, StateGraph &graph) {
  if (!coxeter(sizes, graph))
    return false;
  int64_t n = sizes[0];
  Generators generators(graph, n);
  generators.addCycle(cycleName({0, n - 1}), {0, n - 1});
  return generators.fits();
}

bool stars(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t i = 1; i < n; ++i)
    generators.addCycle("S" + Twine(i), {0, i});
  return generators.fits();
}

bool increasingCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0], k = sizes[1];
  if (k < 2 || n < k)
    return false;
  Generators generators(graph, n);
  forEachChoice(n, k, [&](ArrayRef<int64_t> choice) {
    generators.addCycle(cycleName(choice), choice);
    return generators.fits();
  });
  return generators.fits();
}

bool allTranspositions(Sizes sizes, StateGraph &graph) {
  return increasingCycles({sizes[0], 2}, graph);
}

bool consecutiveCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0], k = sizes[1];
  if (k < 2 || n < k)
    return false;
  Generators generators(graph, n);
  for (int64_t first = 0; first + k <= n && generators.fits(); ++first)
    generators.addCycle(cycleName(run(first, k, n)), run(first, k, n));
  return generators.fits();
}

bool wrappedCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0], k = sizes[1];
  if (k < 2 || n < k)
    return false;
  Generators generators(graph, n);
  for (int64_t first = 0; first < n && generators.fits(); ++first)
    generators.addCycle(cycleName(run(first, k, n), " "), run(first, k, n));
  return generators.fits();
}

bool prefixCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t count = 2; count <= n && generators.fits(); ++count)
    generators.addCycle(cycleName(run(0, count, n)), run(0, count, n));
  return generators.fits();
}

bool downCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t first = 0; first < n && generators.fits(); ++first)
    for (int64_t count = 2; first + count <= n && generators.fits(); ++count)
      generators.addCycle(cycleName(run(first, count, n)),
                          run(first, count, n));
  return generators.fits();
}

bool allCycles(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  int64_t number = 0;
  for (int64_t k = 2; k <= n && generators.fits(); ++k)
    forEachChoice(n, k, [&](ArrayRef<int64_t> choice) {
      // A cycle is determined by the order after its smallest element.
      std::vector<int64_t> cycle = choice.vec();
      do
        generators.addCycle("cycle_" + Twine(++number), cycle);
      while (generators.fits() &&
             std::next_permutation(cycle.begin() + 1, cycle.end()));
      return generators.fits();
    });
  return generators.fits();
}

/// Positions first .. middle change places with middle + 1 .. last.
bool transposons(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t first = 0; first < n && generators.fits(); ++first)
    for (int64_t middle = first; middle < n && generators.fits(); ++middle)
      for (int64_t last = middle + 1; last < n && generators.fits(); ++last) {
        Permutation permutation = identity(n);
        std::rotate(permutation.begin() + first,
                    permutation.begin() + middle + 1,
                    permutation.begin() + last + 1);
        generators.add("T[" + Twine(first) + ".." + Twine(middle) + "," +
                           Twine(last) + "]",
                       std::move(permutation));
      }
  return generators.fits();
}

/// Positions a .. b change places with c .. d; what lies between moves along.
Permutation exchangedBlocks(int64_t n, int64_t a, int64_t b, int64_t c,
                            int64_t d) {
  Permutation result;
  auto append = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i <= last; ++i)
      result.push_back(i);
  };
  append(0, a - 1);
  append(c, d);
  append(b + 1, c - 1);
  append(a, b);
  append(d + 1, n - 1);
  return result;
}

bool blockInterchange(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  for (int64_t a = 0; a < n && generators.fits(); ++a)
    for (int64_t b = a; b < n && generators.fits(); ++b)
      for (int64_t c = b + 1; c < n && generators.fits(); ++c)
        for (int64_t d = c; d < n && generators.fits(); ++d)
          generators.add("I[" + Twine(a) + ".." + Twine(b) + "," + Twine(c) +
                             ".." + Twine(d) + "]",
                         exchangedBlocks(n, a, b, c, d));
  return generators.fits();
}

/// Transpositions (first, first + 1), (first + 2, first + 3), ..., `count` of
/// them.
Permutation disjointTranspositions(int64_t n, int64_t first, int64_t count) {
  Permutation result = identity(n);
  for (int64_t i = 0; i < count; ++i)
    std::swap(result[first + 2 * i], result[first + 2 * i + 1]);
  return result;
}

bool rapaportM1(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 3)
    return false;
  Generators generators(graph, n);
  for (int64_t first : {0, 1})
    for (int64_t count = 1; first + 2 * count <= n && generators.fits();
         ++count)
      generators.add("M1_" + Twine(first) + "_" + Twine(count),
                     disjointTranspositions(n, first, count));
  return generators.fits();
}

bool rapaportM2(Sizes sizes, StateGraph &graph) {
  int64_t n = sizes[0];
  if (n < 2)
    return false;
  Generators generators(graph, n);
  generators.addCycle(cycleName({0, 1}), {0, 1});
  generators.add("EvenDisjTrans", disjointTranspositions(n, 0, n / 2));
  generators.add("OddDisjTrans", disjointTranspositions(n, 1, (n - 1) / 2));
  return generators.fits();
}

/// Permutations in lexicographic order that move every position, by their
/// number among all.
template <typename Name>
bool derangementsThat(int64_t n, bool onlyInvolutions, StateGraph &graph,
                      Name name) {
  // 10! permutations take a blink; the next size has too many generators.
  if (n < 2 || n > 10)
    return false;
  Generators generators(graph, n);
  Permutation permutation = identity(n);
  int64_t number = 0;
  do {
    bool wanted = true;
    for (int64_t i = 0; i < n; ++i)
      wanted &= permutation[i] != i &&
                (!onlyInvolutions || permutation[permutation[i]] == i);
    if (wanted)
      generators.add(name(number, graph.generators() + 1), permutation);
    ++number;
  } while (generators.fits() &&
           std::next_permutation(permutation.begin(), permutation.end()));
  return generators.fits();
}

bool derangements(Sizes sizes, StateGraph &graph) {
  return derangementsThat(sizes[0], false, graph, [](int64_t number, size_t) {
    return "D" + std::to_string(number);
  });
}

bool involutiveDerangements(Sizes sizes, StateGraph &graph) {
  return sizes[0] % 2 == 0 &&
         derangementsThat(sizes[0], true, graph, [](int64_t, size_t place) {
           return "ID" + std::to_string(place);
         });
}

/// Parallels of 2b fields, a + 1 of them, each of which turns; and half
/// turns that exchange b neighbouring fields of parallel i with parallel a - i.
bool globe(Sizes sizes, StateGraph &graph) {
  int64_t a = sizes[0], b = sizes[1];
  if (a < 1 || b < 1 || b > maxPositions || a > maxPositions ||
      (a + 1) * 2 * b > maxPositions)
    return false;
  int64_t around = 2 * b, n = (a + 1) * around;
  Generators generators(graph, n);
  for (int64_t row = 0; row <= a && generators.fits(); ++row) {
    std::vector<int64_t> ring = run(row * around, around, n);
    generators.addCycle("r" + Twine(row), ring);
    std::reverse(ring.begin(), ring.end());
    generators.addCycle("r" + Twine(row) + "_inv", ring);
  }
  for (int64_t first = 0; first < around && generators.fits(); ++first) {
    Permutation flip = identity(n);
    for (int64_t row = 0; row <= a && generators.fits(); ++row)
      // The middle parallel of an odd number stays: its half would meet
      // itself.
      for (int64_t i = 0; 2 * row != a && i < b; ++i)
        flip[row * around + (first + i) % around] =
            (a - row) * around + (first + b - 1 - i) % around;
    generators.add("f" + Twine(first), std::move(flip));
  }
  return generators.fits();
}

const PermutationFamily families[] = {
    {"all_cycles", "n", 1, 1, allCycles},
    {"all_transpositions", "n", 1, 1, allTranspositions},
    {"block_interchange", "n", 1, 1, blockInterchange},
    {"burnt_pancake", "n", 1, 1, burntPancake},
    {"consecutive_k_cycles", "n,k", 2, 2, consecutiveCycles},
    {"coxeter", "n", 1, 1, coxeter},
    {"cyclic_coxeter", "n", 1, 1, cyclicCoxeter},
    {"derangements", "n", 1, 1, derangements},
    {"down_cycles", "n", 1, 1, downCycles},
    {"full_reversals", "n", 1, 1, fullReversals},
    {"globe", "a,b", 2, 2, globe},
    {"increasing_k_cycles", "n,k", 2, 2, increasingCycles},
    {"involutive_derangements", "n", 1, 1, involutiveDerangements},
    {"larx", "n", 1, 1, larx},
    {"lrx", "n or n,k", 1, 2, lrx},
    {"lsl_cycles", "n", 1, 1, lslCycles},
    {"lx", "n", 1, 1, lx},
    {"pancake", "n", 1, 1, pancake},
    {"prefix_cycles", "n", 1, 1, prefixCycles},
    {"rapaport_m1", "n", 1, 1, rapaportM1},
    {"rapaport_m2", "n", 1, 1, rapaportM2},
    {"signed_reversals", "n", 1, 1, signedReversals},
    {"stars", "n", 1, 1, stars},
    {"top_spin", "n or n,k", 1, 2, topSpin},
    {"transposons", "n", 1, 1, transposons},
    {"wrapped_k_cycles", "n,k", 2, 2, wrappedCycles},
};

} // namespace

ArrayRef<PermutationFamily> permutationFamilies() { return families; }

} // namespace zenith::cayley
