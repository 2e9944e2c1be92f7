# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Ratios of Zenith to the best peer, from the rows that the peers' bench writes.

import math


def pairs(rows, key):
    """(model, threads, zenith's row, the best peer's row) wherever both have the figure."""
    groups = {}
    for row in rows:
        groups.setdefault((row["model"], row["threads"]), []).append(row)
    for (model, threads), group in groups.items():
        known = [row for row in group if row.get(key)]
        zenith = next((row for row in known if row["peer"] == "zenith"), None)
        peers = [row for row in known if row["peer"] != "zenith"]
        yield model, threads, zenith, min(peers, key=lambda row: row[key], default=None)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def _cell(value, form):
    return format(value, form) if value is not None else "-"


def _ratio_rows(rows, key, scale):
    """Lines of the table and the ratios peer / zenith: above 1, Zenith needs less."""
    lines, ratios = [], []
    for model, threads, zenith, best in pairs(rows, key):
        ratio = best[key] / zenith[key] if zenith and best else None
        if ratio:
            ratios.append(ratio)
        lines.append((model, str(threads), _cell(zenith and zenith[key] * scale, ".2f"),
                      _cell(best and best[key] * scale, ".2f"), best["peer"] if best else "-", _cell(ratio, ".2f"),
                      _cell(zenith and zenith.get("roof"), ".0%"),
                      "loses" if ratio and ratio < 1 else "" if zenith else "Zenith failed"))
    return lines, ratios


def _layout(title, unit, lines, ratios):
    head = ("model", "threads", f"zenith {unit}", f"best peer {unit}", "peer", "ratio", "roofline", "")
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    text = [title]
    for line in [head, *lines]:
        text.append("  ".join(cell.ljust(width) if i in (0, 4) else cell.rjust(width)
                              for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
    if ratios:
        text.append(f"geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}, "
                    f"{sum(ratio < 1 for ratio in ratios)} of {len(ratios)} below 1")
    return "\n".join(text)


def table(report):
    """What a reader wants to know of a suite, as text."""
    parts = []
    def add(title, unit, rows, key, scale=1.0):
        parts.append(_layout(title, unit, *_ratio_rows(rows, key, scale)))

    rows = report["rows"]
    if report["suite"] == "compile-time":
        add("loading and compiling, cold", "ms", rows, "compile_ms")
        add("the same, from the caches", "ms", report["warm_rows"], "compile_ms")
    elif report["suite"] == "memory":
        add("peak of the process", "MB", rows, "peak_bytes", 1e-6)
        add("what runs need above what is loaded", "MB", rows, "transient_bytes", 1e-6)
    else:
        add("least time of a run", "ms", rows, "min_ms")
    return "\n\n".join(parts)
