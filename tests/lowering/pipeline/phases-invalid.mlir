// RUN: zenith-opt %s --from=import --to=import --split-input-file --verify-diagnostics

func.func @foreign_op_leaks() {
  // expected-error@below {{'arith.constant' op is left after phase 'import'; phase 'import' owed its removal}}
  %c = arith.constant 1 : i64
  return
}

// -----

// expected-error@below {{'host.program' op is left after phase 'import'; phase 'import' owed its removal}}
host.program @comes_too_early arguments [] results [] arena "0" {
}
