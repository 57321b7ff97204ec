#!/usr/bin/env python3
"""Computes numbers of the laboratory again, without any code of winnow.

Tests hold winnow to what this prints (search for "scripts/outside.py"). The web is made by a formula:
60 pages on 6 sites; page p links to 7p+1, p*p+3 and, unless 4 divides p, to p+1, all modulo 60; its
site is p divided by 10, and the homes are pages 0, 10 and so on.

With the name of a file of "source target" lines and one of sites (line i: site of page i) it prints the
same about another web, such as winnow graph export writes it.
"""
import sys
from math import sqrt

def made():
    n = 60
    out = []
    for p in range(n):
        to = {(7 * p + 1) % n, (p * p + 3) % n}
        if p % 4:
            to.add((p + 1) % n)
        out.append(sorted(to - {p}))
    return out, [p // 10 for p in range(n)]

def read(edges, sites):
    site = [s.strip() for s in open(sites)]
    out = [set() for _ in site]
    for line in open(edges):
        a, b = map(int, line.split()[:2])
        if a != b:
            out[a].add(b)
    return [sorted(l) for l in out], site

def hits(out, steps=20000):
    n = len(out)
    inn = [[] for _ in range(n)]
    for p, l in enumerate(out):
        for q in l:
            inn[q].append(p)
    h = [1.0 / n] * n
    for _ in range(steps):
        a = [sum(h[p] for p in l) for l in inn]
        s = sum(a) or 1
        a = [x / s for x in a]
        g = [sum(a[q] for q in l) for l in out]
        s = sum(g) or 1
        g = [x / s for x in g]
        if sum(abs(x - y) for x, y in zip(g, h)) < 1e-13:
            h = g
            break
        h = g
    return a, h

def pagerank(weights, follow, sweeps=2000):
    """weights[p]: list of (target, part of the rank)"""
    n = len(weights)
    r = [1.0 / n] * n
    for _ in range(sweeps):
        new = [0.0] * n
        dangling = 0.0
        for p, l in enumerate(weights):
            if not l:
                dangling += r[p]
            for q, w in l:
                new[q] += r[p] * w
        new = [(1 - follow) / n + follow * (x + dangling / n) for x in new]
        if sum(abs(a - b) for a, b in zip(new, r)) < 1e-15:
            return new
        r = new
    return r

def weighted(out, site, share=None, factor=None):
    all = []
    for p, l in enumerate(out):
        remote = [q for q in l if site[q] != site[p]]
        local = [q for q in l if site[q] == site[p]]
        if share is not None and remote and local:
            er, el = share / len(remote), (1 - share) / len(local)
        elif share is not None:
            er = el = 1 / max(1, len(l))
        else:
            s = factor * len(remote) + len(local)
            er, el = (factor / s, 1 / s) if s else (0, 0)
        all.append([(q, er) for q in remote if er] + [(q, el) for q in local if el])
    return all

def tau_b(x, y):
    n = len(x)
    c = d = tx = ty = 0
    for i in range(n):
        for j in range(i):
            a, b = x[i] - x[j], y[i] - y[j]
            a = 0 if abs(a) <= 1e-13 else a
            b = 0 if abs(b) <= 1e-13 else b
            if a == 0 and b == 0:
                continue
            if a == 0:
                tx += 1
            elif b == 0:
                ty += 1
            elif a * b > 0:
                c += 1
            else:
                d += 1
    return (c - d) / sqrt((c + d + tx) * (c + d + ty))

def depths(out, site, homes):
    depth = [-1] * len(out)
    level = list(homes)
    for p in level:
        depth[p] = 0
    while level:
        nxt = []
        for p in level:
            for q in out[p]:
                if depth[q] < 0 and site[q] == site[p]:
                    depth[q] = depth[p] + 1
                    nxt.append(q)
        level = nxt
    return depth

def processors(jobs, count, dt=1e-6):
    """jobs: (arrival, work) in seconds; even shares, at most one processor each; ends, by small steps."""
    left = [w for _, w in jobs]
    end = [0.0] * len(jobs)
    t = 0.0
    while any(l > 0 for l in left):
        busy = [i for i, (a, _) in enumerate(jobs) if a <= t + 1e-12 and left[i] > 0]
        for i in busy:
            left[i] -= dt * min(1, count / len(busy))
            if left[i] <= 1e-12:
                left[i], end[i] = 0, t + dt
        t += dt
    return end

def last_stage(values, part):
    n = len(values)
    total, y, curve = sum(values), 0.0, []
    for v in values:
        y += v / total
        curve.append(y)
    f = n - int(part * n + 0.5)
    before = curve[f - 1] if f else 0.0
    left = curve[-1] - before
    return left, sum((c - before) / left for c in curve[f:]) / (n - f)

def wilson(k, n, z=1.959963984540054):
    p = k / n
    m, h, w = p + z * z / 2 / n, z * sqrt(p * (1 - p) / n + z * z / 4 / n / n), 1 + z * z / n
    return max(0, (m - h) / w), min(1, (m + h) / w)

def main():
    out, site = read(*sys.argv[1:3]) if len(sys.argv) > 2 else made()
    remote = [[q for q in l if site[q] != site[p]] for p, l in enumerate(out)]
    a, h = hits(remote)
    best = sorted(range(len(a)), key=lambda p: (-a[p], p))[:3]
    print("remote HITS, best authorities:", [(p, round(a[p], 9)) for p in best], "hub of page 1:", round(h[1], 9))
    f = 6 / 7
    rem = pagerank([[(q, 1 / len(l)) for q in l] for l in remote], f)
    sites = [len({site[p] for p in range(len(out)) if q in out[p]}) for q in range(len(out))]
    for name, w in (("share 0.8", weighted(out, site, share=0.8)), ("factor 4", weighted(out, site, factor=4)), ("factor 1", weighted(out, site, factor=1)), ("share 0.0", weighted(out, site, share=0.0))):
        r = pagerank(w, f)
        print("weighted", name, "tau with remote-only %.6f, with linking sites %.6f" % (tau_b(r, rem), tau_b(r, sites)))
    linked = [q for q in range(len(out)) if any(q in l for l in out)]
    own = [q for q in linked if all(site[p] == site[q] for p, l in enumerate(out) if q in l)]
    least = min(rem)
    print("pages with links", len(linked), "from their own site only", len(own), "at the least remote rank", sum(v <= least * (1 + 1e-9) for v in rem))
    if len(sys.argv) <= 2:
        d = depths(out, site, range(0, 60, 10))
        print("depths from homes:", {k: d.count(k) for k in sorted(set(d))})
        print("processors:", [round(e, 4) for e in processors([(0, .01), (0, .02), (.005, .01)], 2)], [round(e, 4) for e in processors([(0, .01), (0, .02), (.005, .01)], 1)])
        print("last quarter of 1..8 descending:", last_stage([8, 7, 6, 5, 4, 3, 2, 1], .25), "and of 4 3 2 1 1 2 3 4:", last_stage([4, 3, 2, 1, 1, 2, 3, 4], .5))
        print("wilson 3 of 7:", wilson(3, 7), "0 of 2:", wilson(0, 2))

main()
