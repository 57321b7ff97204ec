// The yardstick of `make bench`: one Jacobi pull sweep of PageRank as anybody would
// write it in C.
//
//   sweep FILE THREADS SWEEPS
//
// FILE: uint64 n, uint64 m, uint64 off[n+1], uint32 in[m], double share[n] (follow / out-degree).
// Prints nanoseconds per link and sweep (median of five), and a checksum.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t n, m, *off;
static uint32_t *in;
static double *share, *z, *next;
static int threads, sweeps;
static pthread_barrier_t barrier;

// Huge pages, as the Go side has them: the loops are compared, not the pages.
static void *alloc(size_t bytes) {
	void *p = aligned_alloc(2 << 20, (bytes + (2 << 20) - 1) & ~(size_t)((2 << 20) - 1));
	if (!p) { perror("sweep: alloc"); exit(1); }
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static void sweep(uint64_t lo, uint64_t hi) {
	for (uint64_t p = lo; p < hi; p++) {
		double s = 0;
		for (uint64_t e = off[p]; e < off[p + 1]; e++) s += z[in[e]];
		next[p] = (1 + s) * share[p];
	}
}

static uint64_t cut(int t) { // the page at which thread t begins: equal links each
	uint64_t want = m / threads * t, lo = 0, hi = n;
	if (t == threads) return n;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;
		if (off[mid] < want) lo = mid + 1; else hi = mid;
	}
	return lo;
}

static void *worker(void *arg) {
	int t = (int)(intptr_t)arg;
	uint64_t lo = cut(t), hi = cut(t + 1);
	for (int i = 0; i < sweeps; i++) {
		sweep(lo, hi);
		pthread_barrier_wait(&barrier);
		if (t == 0) { double *x = z; z = next; next = x; }
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static double now(void) {
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int ascending(const void *a, const void *b) {
	double x = *(double *)a, y = *(double *)b;
	return (x > y) - (x < y);
}

static void get(FILE *f, void *to, size_t size, size_t count) {
	if (fread(to, size, count, f) != count) { fprintf(stderr, "sweep: short file\n"); exit(1); }
}

int main(int argc, char **argv) {
	if (argc != 4) { fprintf(stderr, "usage: sweep FILE THREADS SWEEPS\n"); return 2; }
	FILE *f = fopen(argv[1], "rb");
	if (!f) { perror(argv[1]); return 1; }
	threads = atoi(argv[2]);
	sweeps = atoi(argv[3]);
	get(f, &n, 8, 1);
	get(f, &m, 8, 1);
	off = alloc((n + 1) * 8); in = alloc(m * 4);
	share = alloc(n * 8); z = alloc(n * 8); next = alloc(n * 8);
	get(f, off, 8, n + 1);
	get(f, in, 4, m);
	get(f, share, 8, n);
	pthread_barrier_init(&barrier, NULL, threads);
	double took[5];
	for (int run = 0; run < 5; run++) {
		pthread_t id[64];
		for (uint64_t p = 0; p < n; p++) z[p] = share[p];
		double start = now();
		for (int t = 1; t < threads; t++) pthread_create(&id[t], NULL, worker, (void *)(intptr_t)t);
		worker(0);
		for (int t = 1; t < threads; t++) pthread_join(id[t], NULL);
		took[run] = (now() - start) / sweeps / m;
	}
	qsort(took, 5, sizeof *took, ascending);
	double sum = 0;
	for (uint64_t p = 0; p < n; p++) sum += z[p];
	printf("%.4f %.17g\n", took[2], sum);
	return 0;
}
