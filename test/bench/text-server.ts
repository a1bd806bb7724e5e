/** What a running server says of itself, for benchmarks of text. */

/** Seconds that the threads that host models were busy, since the start. */
export async function busySeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.matchAll(/^loom_thread_busy_seconds\{thread="model-\d+"\} (\S+)$/gm);
  return [...lines].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

/** Bytes of a model's bank and pages. */
export async function loadOf(url: string, id: string): Promise<number> {
  const state = (await (await fetch(`${url}/admin/models/${id}`)).json()) as {
    readonly memory: { readonly residentBytes: number };
  };
  return state.memory.residentBytes;
}
