/**
 * Waits, without blocking the thread, until a shared word has a value. The device thread's only way
 * to learn that a launch is complete: the last worker stores the word and notifies, which wakes the
 * event loop in about the time of a message, with nothing to serialize.
 */

interface AsyncAtomics {
  waitAsync(
    words: Int32Array,
    index: number,
    value: number,
  ): { readonly async: false } | { readonly async: true; readonly value: Promise<unknown> };
}

/** Calls `then` once, never before it returns: workers may be done sooner than the caller. */
export function awaitWord(words: Int32Array, index: number, value: number, then: () => void): void {
  for (let seen = Atomics.load(words, index); seen !== value; seen = Atomics.load(words, index)) {
    const wait = (Atomics as unknown as AsyncAtomics).waitAsync(words, index, seen);
    if (!wait.async) continue;
    void wait.value.then(() => awaitWord(words, index, value, then));
    return;
  }
  queueMicrotask(then);
}
