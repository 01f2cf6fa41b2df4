// Four entries share a cache line; a new one takes the place of the least valuable of them.
#define _DEFAULT_SOURCE
#include "table.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { WAYS = 4, SAMPLE = 250 };
typedef struct {
    Entry entry[WAYS];
} Bucket;

static void *memory;
static Bucket *buckets;     // in `memory`, from the first whole cache line on
static size_t bucket_count; // a power of two
static bool used;
static uint8_t age;

// Probes are scattered over the whole table: in large pages their addresses are found faster.
static void ask_for_large_pages(void) {
#ifdef MADV_HUGEPAGE
    enum { PAGE = 4096 };
    uintptr_t begin = ((uintptr_t)buckets + PAGE - 1) / PAGE * PAGE, end = (uintptr_t)(buckets + bucket_count) / PAGE * PAGE;
    if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE); // no harm where it is refused
#endif
}

bool table_resize(int megabytes) {
    size_t wanted = 1;
    while (wanted * 2 * sizeof(Bucket) <= (size_t)megabytes << 20) wanted *= 2;
    if (wanted == bucket_count) return true;
    void *fresh = calloc(wanted + 1, sizeof(Bucket)); // pages are cleared as they are touched, not all at once
    if (!fresh) return false;
    table_free();
    memory = fresh;
    buckets = (Bucket *)(((uintptr_t)memory + sizeof(Bucket) - 1) / sizeof(Bucket) * sizeof(Bucket));
    bucket_count = wanted;
    ask_for_large_pages();
    return true;
}

void table_clear(void) {
    if (used) memset(buckets, 0, bucket_count * sizeof *buckets);
    used = false;
    age = 0;
}

void table_new_search(void) { age++; }

void table_free(void) {
    free(memory);
    memory = buckets = NULL;
    bucket_count = 0;
    used = false;
    age = 0;
}

static Bucket *bucket_of(uint64_t key) { return &buckets[key & (bucket_count - 1)]; }

void table_prefetch(uint64_t key) { __builtin_prefetch(bucket_of(key)); }

const Entry *table_find(uint64_t key) {
    Bucket *bucket = bucket_of(key);
    for (int way = 0; way < WAYS; way++)
        if (bucket->entry[way].key == key && bucket->entry[way].bound) return &bucket->entry[way];
    return NULL;
}

// What an entry is worth keeping: deep ones and proofs of this search.
static int worth(const Entry *entry) {
    if (!entry->bound) return -1000;
    return entry->depth + 4 * entry->proved - 8 * (uint8_t)(age - entry->age);
}

void table_store(uint64_t key, int score, Move move, int depth, enum Bound bound, bool proved) {
    used = true;
    Bucket *bucket = bucket_of(key);
    Entry *place = NULL;
    for (int way = 0; way < WAYS; way++) {
        Entry *entry = &bucket->entry[way];
        if (entry->key == key && entry->bound) {
            place = entry;
            break;
        }
        if (!place || worth(entry) < worth(place)) place = entry;
    }
    if (place->key == key && place->bound) {
        if (place->proved && !proved && place->bound == EXACT) return; // nothing can be known better
        if (!move) move = place->move;
    }
    *place = (Entry){key, (int16_t)score, move, (int8_t)depth, (uint8_t)bound, proved, age};
}

int table_fullness(void) {
    size_t seen = 0, used = 0;
    for (size_t i = 0; i < SAMPLE && i < bucket_count; i++)
        for (int way = 0; way < WAYS; way++, seen++)
            used += buckets[i].entry[way].bound && buckets[i].entry[way].age == age;
    return (int)(used * 1000 / seen);
}
