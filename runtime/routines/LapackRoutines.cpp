// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompositions of dense matrices by the LAPACK that the machine has, loaded
// when first asked for. Row-major matrices, batch after batch. A library of its
// own with one C function, for the runtime and for the interpreter alike; the
// only routine that allocates, since LAPACK wants work space.

#include "runtime/routines/Lapack.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <typename T> struct PartOf {
  using type = T;
};
template <typename R> struct PartOf<std::complex<R>> {
  using type = R;
};
template <typename T>
constexpr bool isComplex = !std::is_same_v<T, typename PartOf<T>::type>;

void *lapackSymbol(const std::string &name) {
  static void *const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, (name + "_").c_str()) : nullptr;
}

/// One routine of LAPACK; arguments are pointers, then one length for each
/// letter among them, as Fortran compilers pass them.
class Fortran {
public:
  explicit Fortran(const std::string &name) : symbol(lapackSymbol(name)) {}
  explicit operator bool() const { return symbol != nullptr; }
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(symbol)(arguments...);
  }

private:
  void *symbol;
};

/// A matrix in the order of Fortran, from and to rows.
template <typename T> class Columns {
public:
  Columns(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(size_t(rows * columns)),
        leading(int32_t(std::max<int64_t>(rows, 1))) {}
  void load(const T *from) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        values[size_t(j * rows + i)] = from[i * columns + j];
  }
  void store(T *to) const {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        to[i * columns + j] = values[size_t(j * rows + i)];
  }
  bool isFinite() const {
    return std::all_of(values.begin(), values.end(), [](const T &value) {
      return std::isfinite(std::abs(value));
    });
  }
  T *data() { return values.data(); }
  const T &at(int64_t row, int64_t column) const {
    return values[size_t(column * rows + row)];
  }
  int64_t rows, columns;

private:
  std::vector<T> values;

public:
  int32_t leading;
};

/// What all routines see: sizes of the matrices and the options that follow
/// them.
struct Call {
  std::string name; ///< with the letter of the element type
  int64_t batches, rows, columns;
  const int64_t *options;
  void *const *inputs;
  void *const *results;

  template <typename T> const T *input(int index, int64_t offset) const {
    return static_cast<const T *>(inputs[index]) + offset;
  }
  template <typename T> T *result(int index, int64_t offset) const {
    return static_cast<T *>(results[index]) + offset;
  }
  int64_t smaller() const { return std::min(rows, columns); }
  char letter(int index) const { return char(options[index]); }
};

/// Calls fn(work, length) for the wanted length first, then with that much.
template <typename T, typename Fn> void withWork(Fn &&fn) {
  T wanted{};
  int32_t length = -1;
  fn(&wanted, &length);
  length = std::max(int32_t(1), int32_t(std::real(wanted)));
  std::vector<T> work(static_cast<size_t>(length));
  fn(work.data(), &length);
}

constexpr size_t one = 1; // the length of a letter

template <typename T> void runGetrf(const Call &c, const Fortran &f) {
  int32_t m = int32_t(c.rows), n = int32_t(c.columns);
  Columns<T> a(m, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * m * n));
    f(&m, &n, a.data(), &a.leading, c.result<int32_t>(1, i * c.smaller()),
      c.result<int32_t>(2, i));
    a.store(c.result<T>(0, i * m * n));
  }
}

template <typename T> void runGeqrf(const Call &c, const Fortran &f) {
  int32_t m = int32_t(c.rows), n = int32_t(c.columns), info = 0;
  Columns<T> a(m, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * m * n));
    T *tau = c.result<T>(1, i * c.smaller());
    withWork<T>([&](T *work, int32_t *length) {
      f(&m, &n, a.data(), &a.leading, tau, work, length, &info);
    });
    a.store(c.result<T>(0, i * m * n));
  }
}

// Options: number of reflectors.
template <typename T> void runOrgqr(const Call &c, const Fortran &f) {
  int32_t m = int32_t(c.rows), n = int32_t(c.columns), info = 0;
  int32_t k = int32_t(c.options[0]);
  Columns<T> a(m, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * m * n));
    const T *tau = c.input<T>(1, i * k);
    withWork<T>([&](T *work, int32_t *length) {
      f(&m, &n, &k, a.data(), &a.leading, tau, work, length, &info);
    });
    a.store(c.result<T>(0, i * m * n));
  }
}

// Options: mode, triangle.
template <typename T> void runSyevd(const Call &c, const Fortran &f) {
  using R = typename PartOf<T>::type;
  int32_t n = int32_t(c.columns), ask = -1;
  char mode = c.letter(0), triangle = c.letter(1);
  Columns<T> a(n, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * n * n));
    R *w = c.result<R>(1, i * n);
    int32_t *info = c.result<int32_t>(2, i);
    T wanted{};
    R wantedReal{};
    int32_t wantedIntegers = 0;
    auto call = [&](T *work, int32_t *length, R *real, int32_t *realLength,
                    int32_t *integers, int32_t *integerLength) {
      if constexpr (isComplex<T>)
        f(&mode, &triangle, &n, a.data(), &a.leading, w, work, length, real,
          realLength, integers, integerLength, info, one, one);
      else
        f(&mode, &triangle, &n, a.data(), &a.leading, w, work, length, integers,
          integerLength, info, one, one);
    };
    call(&wanted, &ask, &wantedReal, &ask, &wantedIntegers, &ask);
    int32_t length = std::max(1, int32_t(std::real(wanted)));
    int32_t realLength = std::max(1, int32_t(wantedReal));
    int32_t integerLength = std::max(1, wantedIntegers);
    std::vector<T> work(static_cast<size_t>(length));
    std::vector<R> real(static_cast<size_t>(realLength));
    std::vector<int32_t> integers(static_cast<size_t>(integerLength));
    call(work.data(), &length, real.data(), &realLength, integers.data(),
         &integerLength);
    a.store(c.result<T>(0, i * n * n));
  }
}

// Options: mode.
template <typename T> void runGesdd(const Call &c, const Fortran &f) {
  using R = typename PartOf<T>::type;
  int32_t m = int32_t(c.rows), n = int32_t(c.columns);
  int32_t k = int32_t(c.smaller());
  char mode = c.letter(0);
  int64_t left = mode == 'A' ? m : k, right = mode == 'A' ? n : k;
  Columns<T> a(m, n), u(m, left), vt(right, n);
  int64_t large = std::max(m, n), small = k;
  std::vector<R> real(size_t(std::max<int64_t>(
      1, small * std::max(5 * small + 7, 2 * large + 2 * small + 1))));
  std::vector<int32_t> integers(size_t(std::max(8 * k, 1)));
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * m * n));
    R *s = c.result<R>(1, i * k);
    int32_t *info = c.result<int32_t>(4, i);
    withWork<T>([&](T *work, int32_t *length) {
      if constexpr (isComplex<T>)
        f(&mode, &m, &n, a.data(), &a.leading, s, u.data(), &u.leading,
          vt.data(), &vt.leading, work, length, real.data(), integers.data(),
          info, one);
      else
        f(&mode, &m, &n, a.data(), &a.leading, s, u.data(), &u.leading,
          vt.data(), &vt.leading, work, length, integers.data(), info, one);
    });
    a.store(c.result<T>(0, i * m * n));
    if (mode == 'N')
      continue;
    u.store(c.result<T>(2, i * m * left));
    vt.store(c.result<T>(3, i * right * n));
  }
}

// Real eigenvectors come in pairs of real and imaginary columns.
template <typename R>
void storePairs(const Columns<R> &v, const R *imag, std::complex<R> *to) {
  int64_t n = v.rows;
  for (int64_t j = 0; j < n; ++j) {
    bool isPair = imag[j] != 0 && j + 1 < n;
    for (int64_t i = 0; i < n; ++i) {
      to[i * n + j] = {v.at(i, j), isPair ? v.at(i, j + 1) : R(0)};
      if (isPair)
        to[i * n + j + 1] = std::conj(to[i * n + j]);
    }
    j += isPair;
  }
}

// Options: whether left and right eigenvectors are wanted (letters V and N).
template <typename T> void runGeev(const Call &c, const Fortran &f) {
  using R = typename PartOf<T>::type;
  int32_t n = int32_t(c.columns);
  char left = c.letter(0), right = c.letter(1);
  Columns<T> a(n, n), vl(n, n), vr(n, n);
  std::vector<R> real(size_t(std::max(2 * n, 1)));
  constexpr int vectors = isComplex<T> ? 1 : 2;
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * n * n));
    int32_t *info = c.result<int32_t>(vectors + 2, i);
    *info = -4; // some versions do not end on infinities and NaN
    if (!a.isFinite())
      continue;
    withWork<T>([&](T *work, int32_t *length) {
      if constexpr (isComplex<T>)
        f(&left, &right, &n, a.data(), &a.leading, c.result<T>(0, i * n),
          vl.data(), &vl.leading, vr.data(), &vr.leading, work, length,
          real.data(), info, one, one);
      else
        f(&left, &right, &n, a.data(), &a.leading, c.result<T>(0, i * n),
          c.result<T>(1, i * n), vl.data(), &vl.leading, vr.data(), &vr.leading,
          work, length, info, one, one);
    });
    auto store = [&](const Columns<T> &v, int index) {
      if constexpr (isComplex<T>)
        v.store(c.result<T>(index, i * n * n));
      else
        storePairs(v, c.result<T>(1, i * n),
                   c.result<std::complex<R>>(index, i * n * n));
    };
    if (left == 'V')
      store(vl, vectors);
    if (right == 'V')
      store(vr, vectors + 1);
  }
}

// Options: whether the vectors are wanted (letters V and N).
template <typename T> void runGees(const Call &c, const Fortran &f) {
  using R = typename PartOf<T>::type;
  int32_t n = int32_t(c.columns);
  char mode = c.letter(0), sort = 'N';
  void *choice = nullptr; // chooses what is sorted to the front
  Columns<T> a(n, n), v(n, n);
  std::vector<R> real(static_cast<size_t>(n));
  std::vector<int32_t> chosen(static_cast<size_t>(n));
  constexpr int counts = isComplex<T> ? 3 : 4;
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * n * n));
    int32_t *count = c.result<int32_t>(counts, i);
    int32_t *info = c.result<int32_t>(counts + 1, i);
    *info = -4; // some versions do not end on infinities and NaN
    if (!a.isFinite())
      continue;
    withWork<T>([&](T *work, int32_t *length) {
      if constexpr (isComplex<T>)
        f(&mode, &sort, choice, &n, a.data(), &a.leading, count,
          c.result<T>(2, i * n), v.data(), &v.leading, work, length,
          real.data(), chosen.data(), info, one, one);
      else
        f(&mode, &sort, choice, &n, a.data(), &a.leading, count,
          c.result<T>(2, i * n), c.result<T>(3, i * n), v.data(), &v.leading,
          work, length, chosen.data(), info, one, one);
    });
    a.store(c.result<T>(0, i * n * n));
    if (mode == 'V')
      v.store(c.result<T>(1, i * n * n));
  }
}

// Diagonals below, on and above, each as long as the matrix: the first entry
// below and the last one above count for nothing.
template <typename T> void runGtsv(const Call &c, const Fortran &f) {
  int32_t n = int32_t(c.rows), k = int32_t(c.columns);
  Columns<T> b(n, k);
  for (int64_t i = 0; i < c.batches; ++i) {
    T *diagonals[3];
    for (int d = 0; d < 3; ++d) {
      diagonals[d] = c.result<T>(d, i * n);
      std::copy_n(c.input<T>(d, i * n), n, diagonals[d]);
    }
    b.load(c.input<T>(3, i * n * k));
    f(&n, &k, diagonals[0] + 1, diagonals[1], diagonals[2], b.data(),
      &b.leading, c.result<int32_t>(4, i));
    b.store(c.result<T>(3, i * n * k));
  }
}

// Options: first and last row of the part to reduce, from 1.
template <typename T> void runGehrd(const Call &c, const Fortran &f) {
  int32_t n = int32_t(c.columns);
  int32_t low = int32_t(c.options[0]), high = int32_t(c.options[1]);
  Columns<T> a(n, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * n * n));
    T *tau = c.result<T>(1, i * (n - 1));
    int32_t *info = c.result<int32_t>(2, i);
    withWork<T>([&](T *work, int32_t *length) {
      f(&n, &low, &high, a.data(), &a.leading, tau, work, length, info);
    });
    a.store(c.result<T>(0, i * n * n));
  }
}

// Options: triangle.
template <typename T> void runSytrd(const Call &c, const Fortran &f) {
  using R = typename PartOf<T>::type;
  int32_t n = int32_t(c.columns);
  char triangle = c.letter(0);
  Columns<T> a(n, n);
  for (int64_t i = 0; i < c.batches; ++i) {
    a.load(c.input<T>(0, i * n * n));
    int32_t *info = c.result<int32_t>(4, i);
    withWork<T>([&](T *work, int32_t *length) {
      f(&triangle, &n, a.data(), &a.leading, c.result<R>(1, i * n),
        c.result<R>(2, i * (n - 1)), c.result<T>(3, i * (n - 1)), work, length,
        info, one);
    });
    a.store(c.result<T>(0, i * n * n));
  }
}

template <typename T>
zenith_lapack_status runTyped(Call call, const std::string &routine) {
  using Runner = void (*)(const Call &, const Fortran &);
  static const struct {
    const char *name;
    bool ofReal, ofComplex;
    Runner run;
  } table[] = {
      {"getrf", true, true, runGetrf<T>},  {"geqrf", true, true, runGeqrf<T>},
      {"orgqr", true, false, runOrgqr<T>}, {"ungqr", false, true, runOrgqr<T>},
      {"syevd", true, false, runSyevd<T>}, {"heevd", false, true, runSyevd<T>},
      {"gesdd", true, true, runGesdd<T>},  {"geev", true, true, runGeev<T>},
      {"gehrd", true, true, runGehrd<T>},  {"sytrd", true, false, runSytrd<T>},
      {"hetrd", false, true, runSytrd<T>}, {"gees", true, true, runGees<T>},
      {"gtsv", true, true, runGtsv<T>},
  };
  for (const auto &entry : table) {
    if (routine != entry.name ||
        !(isComplex<T> ? entry.ofComplex : entry.ofReal))
      continue;
    Fortran function(call.name);
    if (!function)
      return ZENITH_LAPACK_NO_LIBRARY;
    if (call.rows == 0 || call.columns == 0)
      return ZENITH_LAPACK_DONE;
    entry.run(call, function);
    return ZENITH_LAPACK_DONE;
  }
  return ZENITH_LAPACK_UNKNOWN_ROUTINE;
}

} // namespace

zenith_lapack_status zenith_routine_lapack(const char *routine, char type,
                                           const int64_t *sizes,
                                           void *const *inputs,
                                           void *const *results) {
  constexpr int64_t largest = 1 << 20; // LAPACK counts in 32 bits
  if (sizes[1] > largest || sizes[2] > largest)
    return ZENITH_LAPACK_NO_MEMORY;
  try {
    Call call{std::string(1, type) + routine,
              sizes[0],
              sizes[1],
              sizes[2],
              sizes + 3,
              inputs,
              results};
    switch (type) {
    case 's':
      return runTyped<float>(call, routine);
    case 'd':
      return runTyped<double>(call, routine);
    case 'c':
      return runTyped<std::complex<float>>(call, routine);
    case 'z':
      return runTyped<std::complex<double>>(call, routine);
    default:
      return ZENITH_LAPACK_UNKNOWN_ROUTINE;
    }
  } catch (const std::exception &) {
    return ZENITH_LAPACK_NO_MEMORY;
  }
}
