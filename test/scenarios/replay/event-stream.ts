/** Reads a stream as its client does: to the end, or until it has had enough. */

export interface EventStreamReading {
  readonly init?: RequestInit;
  /** Goes when it has read so many events. */
  readonly leavesAfter?: number;
  /** Awaited before the next chunk is read. */
  readonly onEvent?: (events: number) => Promise<void>;
}

export async function readEvents(
  response: Response,
  { leavesAfter = Infinity, onEvent }: EventStreamReading,
): Promise<{ readonly events: number; readonly hasLeft: boolean }> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let events = 0;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { events, hasLeft: false };
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      if (!part.startsWith('data:')) continue;
      events += 1;
      await onEvent?.(events);
      if (events < leavesAfter) continue;
      await reader.cancel();
      return { events, hasLeft: true };
    }
  }
}
