/**
 * Environment of processes that live for seconds or minutes. The highest level of the JIT compiler calculates more there
 * than it saves; and memory that is returned to the system is soon asked for again, which costs a fifth of the time.
 */
export const BRIEF_PROCESS = { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" };
