/** Server-sent events out of a stream of bytes: an EventSource cannot send the admin token. */

export interface StreamEvent {
  readonly id: string;
  readonly data: string;
}

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    // Whoever stops reading leaves.
    await reader.cancel().catch(() => undefined);
  }
}

/** Null for a block that is only a comment. */
function eventOf(block: string): StreamEvent | null {
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length === 0 ? null : { id, data: data.join('\n') };
}
