/* A bot that tries to think longer than its clock says, or to have time forgiven that it did not lose.
 *
 *     timecheat ATTACK THINK PLIES LATE
 *
 * It thinks THINK ms in each of PLIES turns, but LATE ms in the last one, then it resigns. It says what each
 * ply took: elapsed, and as CPU time of all that worked for it. Everything it starts ends when it has ended.
 * An attack that the system refuses is reported with `x-refused`; the bot plays on without it.
 */
#define _GNU_SOURCE
#include "dvp.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MANY 8
#define CORES 2
#define CROWD 200
#define MIB (1024 * 1024)

/* Seen by all processes: CPU ns of those other than the bot's own, and whether they are to work. */
static struct { atomic_llong cpu; atomic_int gate; } *shared;
static pid_t bot;
static long long think_ns, late_ns, deadline;
static int plies;

static void check(int result) {
    if (result < 0) strcpy(remark, "info x-refused 1\n");
}

/* Work: some 20 microseconds of it. */
static void chunk(void) {
    for (volatile int i = 0; i < 10000; i++) {}
}

static int is_late(void) { return clock_ns(CLOCK_MONOTONIC) >= deadline; }

/* Adds what this process has run since it last did so. */
static void book(void) {
    static long long booked;
    long long now = process_cpu();
    atomic_fetch_add(&shared->cpu, now - booked);
    booked = now;
}

static long long all_cpu(void) { return process_cpu() + atomic_load(&shared->cpu); }

static void set_gate(int open) {
    atomic_store(&shared->gate, open);
    syscall(SYS_futex, &shared->gate, FUTEX_WAKE, 1000, NULL, NULL, 0);
}

static void await_gate(void) {
    struct timespec while_ = {0, 100 * MS};
    while (!atomic_load(&shared->gate)) {
        if (kill(bot, 0) < 0 && errno == ESRCH) _exit(0);
        syscall(SYS_futex, &shared->gate, FUTEX_WAIT, 0, &while_, NULL, 0);
    }
}

/* A worker's life, as a process. */
static void serve(void) {
    alarm(120);
    for (;;) {
        await_gate();
        chunk();
        book();
        if (kill(bot, 0) < 0 && errno == ESRCH) _exit(0);
    }
}

/* Nothing shows any more where a process came from: its session, its parent, its environment. */
static void hide(void) {
    extern char **environ;
    setsid();
    for (char **entry = environ; entry && *entry; entry++) memset(*entry, 0, strlen(*entry));
}

/* Processes with this beginning, which wait for the gate. */
static void hire(int count, void (*prepare)(void)) {
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prepare();
            serve();
        }
}

/* The same without a parent. */
static void hire_orphans(int count, void (*prepare)(void)) {
    for (int i = 0; i < count; i++) {
        pid_t between = fork();
        if (between == 0) {
            if (fork() == 0) {
                prepare();
                serve();
            }
            _exit(0);
        }
        waitpid(between, NULL, 0);
    }
}

/* How to think; each until `deadline`, but for the honest one. */

static void compute(void) {
    long long began = process_cpu(), enough = deadline - asked_at;
    while (process_cpu() - began < enough) chunk();
}

static void spin(void) {
    while (!is_late()) chunk();
}

static void doze(void) { sleep_until(deadline); }

static void let_work(void) {
    set_gate(1);
    doze();
    set_gate(0);
}

/* Forty processes that wait for each other for a moment add up to more waiting than the bot oversleeps. */
static void let_many_work_briefly(void) {
    if (deadline - asked_at > 50 * MS) {
        set_gate(1);
        sleep_until(asked_at + 3 * MS);
        set_gate(0);
    }
    doze();
}

static void spin_in_company(void) {
    set_gate(1);
    spin();
    set_gate(0);
}

static void pin(int first_only) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core = 0; core < (first_only ? 1 : CPU_SETSIZE); core++) CPU_SET(core, &set);
    check(sched_setaffinity(0, sizeof set, &set));
}

static void pin_here(void) { pin(1); }

static void pin_while_spinning(void) {
    pin(1);
    spin_in_company();
    pin(0);
}

static void *spin_as_thread(void *unused) {
    spin();
    return unused;
}

static void *yield_as_thread(void *unused) {
    while (!is_late()) sched_yield();
    return unused;
}

static atomic_int ball;

static void *pass_ball(void *mine) {
    struct timespec while_ = {0, MS};
    int me = mine != NULL;
    while (!is_late()) {
        if (atomic_load(&ball) != me) syscall(SYS_futex, &ball, FUTEX_WAIT, !me, &while_, NULL, 0);
        if (atomic_load(&ball) != me) continue;
        atomic_store(&ball, !me);
        syscall(SYS_futex, &ball, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void run_threads(int count, void *(*body)(void *)) {
    pthread_t threads[MANY];
    for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, body, (void *)(i % 2));
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void many_threads(void) { run_threads(MANY, spin_as_thread); }
static void yielding_threads(void) { run_threads(MANY, yield_as_thread); }
static void passing_threads(void) { run_threads(2, pass_ball); }

static void *be_brief(void *unused) {
    long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 3 * MS;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) chunk();
    return unused;
}

static void brief_threads(void) {
    while (!is_late()) run_threads(1, be_brief);
}

/* A process that computes for 5 ms and is gone. */
static void be_gone(void) {
    while (process_cpu() < 5 * MS) chunk();
    book();
    _exit(0);
}

static void chain(void) {
    while (!is_late()) {
        pid_t child = fork();
        if (child == 0) be_gone();
        waitpid(child, NULL, 0);
    }
}

static void chain_of_orphans(void) {
    while (!is_late()) {
        int ends[2];
        if (pipe(ends) < 0) return;
        pid_t between = fork();
        if (between == 0) {
            hide();
            if (fork() == 0) be_gone();
            _exit(0);
        }
        close(ends[1]);
        waitpid(between, NULL, 0);
        (void)!read(ends[0], ends, 1); /* the end of file comes when it is gone */
        close(ends[0]);
    }
}

/* A child stops the bot, computes, and lets it continue. */
static void stop_self(void) {
    pid_t child = fork();
    if (child == 0) {
        kill(bot, SIGSTOP);
        while (!is_late()) chunk();
        book();
        kill(bot, SIGCONT);
        _exit(0);
    }
    spin();
    waitpid(child, NULL, 0);
}

/* In the opponent's turns: from the answer to the next question. */

static void open_gate(void) { set_gate(1); }

static void compute_alone(void) {
    set_gate(0);
    compute();
}

static void *ponder(void *unused) {
    for (;;) {
        await_gate();
        chunk();
    }
    return unused;
}

/* Who counts what threads used has that many to look at. */
static void *wait_for_ever(void *unused) {
    for (;;) pause();
    return unused;
}

static void *storm(void *unused) {
    for (;;) {
        await_gate();
        char *block = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mlock(block, MIB);
        for (int i = 0; i < 16 * MIB; i += 4096) block[i] = 1;
        munmap(block, 16 * MIB);
    }
    return unused;
}

static char letters[8000];

static void flood_turn(void) {
    doze();
    for (int i = 0; i < 2; i++) write_all(1, letters, sizeof letters);
}

static int is_asked(int ms) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, ms) != 0;
}

static void flood(int file, int count) {
    fcntl(file, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < count && !is_asked(2); i++) (void)!write(file, letters, sizeof letters / 2);
    fcntl(file, F_SETFL, 0);
}

/* Also where the last of it comes after the next question, two turns have fewer lines than the limit. */
static void flood_out(void) {
    flood(1, 2);
    strcpy(remark, "\n"); /* the last line may be without its end */
}

static void flood_err(void) { flood(2, 1000); }

/* Beginnings. */

static void be_nice(void) { check(setpriority(PRIO_PROCESS, 0, 19)); }

static void schedule(int policy) {
    struct sched_param none = {0};
    check(sched_setscheduler(0, policy, &none));
}

static void be_idle(void) { schedule(SCHED_IDLE); }

/* From Linux 6.12 on a program may ask to run longer at a stretch: whoever waits for its core waits longer. */
static void be_lengthy(void) {
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long runtime, deadline, period;
    } wish = {.size = 48, .policy = SCHED_OTHER, .runtime = 100 * MS};
    check(syscall(SYS_sched_setattr, 0, &wish, 0));
}

static void leave_session(void) { setsid(); }

/* A session is a group of its own; that of somebody else, such as a shell's, is left alone. */
static void lower_group(void) {
    int file = open("/proc/self/autogroup", O_WRONLY);
    int is_own = getsid(0) == bot || setsid() > 0;
    check(file >= 0 && is_own ? (int)write(file, "19", 2) : -1);
}

static void hire_spinners(void) { hire(MANY, nothing); }
static void hire_many(void) { hire(5 * MANY, nothing); }
static void hire_ponderers(void) { hire(CORES, nothing); }
static void hire_lengthy(void) { hire(CORES, be_lengthy); }
static void hire_hidden(void) { hire_orphans(CORES, hide); }

static void start_threads(int count, void *(*body)(void *)) {
    pthread_t thread;
    while (count-- > 0) pthread_create(&thread, NULL, body, NULL);
}

static void start_ponder_threads(void) { start_threads(CORES, ponder); }
static void start_storm(void) { start_threads(1, storm); }
static void be_a_crowd(void) { start_threads(CROWD, wait_for_ever); }

static void prepare_letters(void) {
    for (int i = 0; i < (int)sizeof letters; i++) letters[i] = i % 2 ? '\n' : 'x';
}

static void nice_in_company(void) {
    hire(CORES, nothing);
    be_nice();
}

static void idle_in_company(void) {
    hire(CORES, nothing);
    be_idle();
}

static void batch_in_company(void) {
    hire(MANY, nothing);
    schedule(SCHED_BATCH);
}

static void low_group_in_company(void) {
    hire(CORES, leave_session);
    lower_group();
}

static void pinned_in_company(void) {
    hire(1, pin_here);
    pin(1);
}

static void company_on_a_core(void) { hire(1, pin_here); }

static void be_reaper(void) {
    check(prctl(PR_SET_CHILD_SUBREAPER, 1));
    hire_orphans(CORES, nothing);
}

/* Those that wait are seen, those that compute are not. */
static void masked(void) {
    hire_orphans(CORES, hide);
    hire(MANY, be_idle);
}

static void ignore_children(void) { signal(SIGCHLD, SIG_IGN); }

static const struct attack { const char *name; void (*begin)(void), (*think)(void), (*idle)(void); } attacks[] = {
    {"honest", nothing, compute, nothing},
    {"sleeper", nothing, doze, nothing},
    {"spinning-children", hire_spinners, let_work, nothing},
    {"brief-crowd", hire_many, let_many_work_briefly, nothing},
    {"threads", nothing, many_threads, nothing},
    {"nice", nice_in_company, spin_in_company, nothing},
    {"sched-idle", idle_in_company, spin_in_company, nothing},
    {"sched-batch", batch_in_company, spin_in_company, nothing},
    {"autogroup", low_group_in_company, spin_in_company, nothing},
    {"pinned", pinned_in_company, spin_in_company, nothing},
    {"pinned-briefly", company_on_a_core, pin_while_spinning, nothing},
    {"stop-self", nothing, stop_self, nothing},
    {"ponder-threads", start_ponder_threads, compute_alone, open_gate},
    {"ponder-children", hire_ponderers, compute_alone, open_gate},
    {"ponder-lengthily", hire_lengthy, compute_alone, open_gate},
    {"double-fork", hire_hidden, let_work, nothing},
    {"reaper", be_reaper, let_work, nothing},
    {"masked", masked, let_work, nothing},
    {"chain", nothing, chain, nothing},
    {"chain-ignored", ignore_children, chain, nothing},
    {"chain-orphans", nothing, chain_of_orphans, nothing},
    {"brief-threads", nothing, brief_threads, nothing},
    {"yield", nothing, yielding_threads, nothing},
    {"futex", nothing, passing_threads, nothing},
    {"fault-storm", start_storm, compute_alone, open_gate},
    {"flood-turn", prepare_letters, flood_turn, nothing},
    {"flood-out", prepare_letters, compute, flood_out},
    {"flood-err", prepare_letters, compute, flood_err},
    {"crowd", be_a_crowd, compute, nothing},
    {"leaderless", nothing, compute, nothing},
};
#define ATTACKS (sizeof attacks / sizeof *attacks)

static const struct attack *attack;

static void think(void) {
    deadline = asked_at + (turns == plies - 1 ? late_ns : think_ns);
    attack->think();
}

static void *play_on(void *unused) {
    play(plies, think, attack->idle);
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    if (count < 5) {
        for (size_t i = 0; i < ATTACKS; i++) puts(attacks[i].name);
        return 2;
    }
    for (attack = attacks; strcmp(attack->name, words[1]); attack++)
        if (attack == attacks + ATTACKS - 1) return 2;
    think_ns = strtod(words[2], NULL) * MS;
    plies = atoi(words[3]);
    late_ns = strtod(words[4], NULL) * MS;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    own_cpu = all_cpu;
    tells_at_once = 1;
    bot = getpid();
    attack->begin();
    if (!strcmp(attack->name, "leaderless")) {
        pthread_create(&thread, NULL, play_on, NULL);
        pthread_exit(NULL);
    }
    play_on(NULL);
}
