#!/usr/bin/env python3
"""Our archives against pyribs, in turns in one run; a JSON object a line on standard output.

    archive_pyribs.py PROGRAM [--rounds N] [--seeds N] [--batches N] [--curves FILE]

PROGRAM is kernatlas-bench-archive. Both sides get archives of the same kind, measures, cells and
capacity, and emitters of the same formula, and are timed by processor time: a machine that does
other things as well delays a program but does not change what it costs.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import time

import numpy as np
import ribs
from ribs.archives import CVTArchive, DNSArchive, GridArchive
from ribs.emitters import GaussianEmitter, IsoLineEmitter

SOLUTION = 10
PREFILL = 20000
BATCH = 10000
UNIT = [(0, 1), (0, 1)]


def emit(name, value, unit, reference, reference_value, runs, **more):
    line = {"name": name, "value": value, "unit": unit, "reference": reference,
            "reference_value": reference_value, "ratio": value / reference_value, "runs": runs}
    print(json.dumps(line | more), flush=True)


# ---------------------------------------------------------------------------------------- adds/s

def candidates(count, rng):
    return rng.random((count, SOLUTION)), rng.random(count), rng.random((count, 2))


def reference_archive(kind):
    if kind == "grid":
        return GridArchive(solution_dim=SOLUTION, dims=[100, 100], ranges=UNIT)
    if kind == "cvt":
        centroids = np.random.default_rng(7).random((10000, 2))
        return CVTArchive(solution_dim=SOLUTION, centroids=centroids, ranges=UNIT)
    return DNSArchive(solution_dim=SOLUTION, measure_dim=2, capacity=1000, k_neighbors=5)


def filled(kind, rng):
    archive = reference_archive(kind)
    for _ in range(PREFILL // 1000):
        archive.add(*candidates(1000, rng))
    return archive


def reference_single(kind, seed):
    rng = np.random.default_rng(seed)
    archive = filled(kind, rng)
    count = 100 if kind == "dominated-novelty" else 2000
    solutions, objectives, measures = candidates(count, rng)
    if not hasattr(archive, "add_single"):
        return None
    start = time.process_time()
    for i in range(count):
        archive.add_single(solutions[i], objectives[i], measures[i])
    return count / (time.process_time() - start)


def reference_batch(kind, seed):
    rng = np.random.default_rng(seed)
    archive = filled(kind, rng)
    batch = candidates(BATCH, rng)
    start = time.process_time()
    archive.add(*batch)
    return BATCH / (time.process_time() - start)


def ours(program, kind, seed):
    out = subprocess.run([program, "rate", kind, str(PREFILL), str(BATCH), str(seed)],
                         capture_output=True, text=True, check=True)
    return float(out.stdout)


def bench_rates(program, rounds):
    for kind in ("grid", "cvt", "dominated-novelty"):
        own, single, batch = [], [], []
        for seed in range(rounds):
            own.append(ours(program, kind, seed))
            single.append(reference_single(kind, seed))
            batch.append(reference_batch(kind, seed))
        rate = statistics.median(own)
        version = f"pyribs {ribs.__version__}"
        emit(f"single adds, {kind}", rate, "1/s", f"{version} add_single",
             statistics.median(single), rounds)
        emit(f"single adds, {kind}", rate, "1/s", f"{version} add, batches of 10,000",
             statistics.median(batch), rounds)


# --------------------------------------------------------------- quality-diversity benchmarks

def sphere_like(rastrigin):
    shift = 5.12 * 0.4

    def evaluate(solutions):
        d = solutions - shift
        value = np.sum(d * d, axis=1)
        worst = solutions.shape[1] * (-10.24 - shift) ** 2
        if rastrigin:
            value += np.sum(10 * (1 - np.cos(2 * np.pi * d)), axis=1)
            worst += 20 * solutions.shape[1]
        with np.errstate(divide="ignore"):
            folded = np.where(np.abs(solutions) <= 5.12, solutions, 5.12 * 5.12 / solutions)
        half = solutions.shape[1] // 2
        measures = np.stack([folded[:, :half].sum(axis=1), folded[:, half:].sum(axis=1)], axis=1)
        return np.maximum(0, 100 * (1 - value / worst)), measures

    return evaluate


def arm(joints):
    angles = np.cumsum(joints, axis=1)
    measures = np.stack([np.cos(angles).sum(axis=1), np.sin(angles).sum(axis=1)], axis=1)
    return np.maximum(0, 100 * (1 - np.std(joints, axis=1) / np.pi)), measures


DOMAINS = {
    "sphere": (sphere_like(False), 20, 10.24, 0.5, 51.2),
    "rastrigin": (sphere_like(True), 20, 10.24, 0.5, 51.2),
    "arm": (arm, 12, math.pi, 0.1, 12.0),
}


def reference_qd(domain, emitter_name, batches, seed):
    evaluate, dimensions, bound, sigma, reach = DOMAINS[domain]
    archive = GridArchive(solution_dim=dimensions, dims=[50, 50],
                          ranges=[(-reach, reach)] * 2, seed=seed)
    common = {"x0": np.zeros(dimensions), "batch_size": 100, "seed": seed,
              "bounds": [(-bound, bound)] * dimensions}
    if emitter_name == "gaussian":
        emitter = GaussianEmitter(archive, sigma=sigma, **common)
    else:
        emitter = IsoLineEmitter(archive, iso_sigma=0.02 * bound, line_sigma=0.2, **common)
    curve = []
    for batch in range(1, batches + 1):
        solutions = emitter.ask()
        objectives, measures = evaluate(solutions)
        info = archive.add(solutions, objectives, measures)
        emitter.tell(solutions, objectives, measures, info)
        if batch % (batches // 20) == 0:
            curve.append((batch * 100, float(archive.stats.qd_score)))
    return curve


def own_qd(program, domain, emitter, batches, seed):
    out = subprocess.run([program, "qd", domain, emitter, str(batches), str(seed)],
                         capture_output=True, text=True, check=True)
    return [(int(line.split()[0]), float(line.split()[1])) for line in out.stdout.splitlines()]


def bench_qd(program, seeds, batches, curves_file):
    curves = []
    for domain in DOMAINS:
        for emitter in ("gaussian", "iso+line"):
            own, other = [], []
            for seed in range(1, seeds + 1):
                own.append(own_qd(program, domain, emitter, batches, seed))
                other.append(reference_qd(domain, emitter, batches, seed))
            ends = [[curve[-1][1] for curve in side] for side in (own, other)]
            means = [statistics.mean(end) for end in ends]
            deviations = [statistics.stdev(end) for end in ends]
            error = math.sqrt(sum(d * d / seeds for d in deviations))
            emit(f"QD score, {domain}, {emitter}, {batches * 100} evaluations", means[0], "",
                 f"pyribs {ribs.__version__}", means[1], seeds,
                 deviation=deviations[0], reference_deviation=deviations[1],
                 difference_in_standard_errors=(means[0] - means[1]) / error)
            curves.append({"domain": domain, "emitter": emitter,
                           "evaluations": [x for x, _ in own[0]],
                           "ours": [[y for _, y in curve] for curve in own],
                           "pyribs": [[y for _, y in curve] for curve in other]})
    if curves_file:
        with open(curves_file, "w", encoding="utf-8") as out:
            json.dump(curves, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--curves")
    options = parser.parse_args()
    bench_rates(options.program, options.rounds)
    if options.seeds > 1:
        bench_qd(options.program, options.seeds, options.batches, options.curves)


if __name__ == "__main__":
    sys.exit(main())
