/** The events of a stream (text/event-stream), as its bytes come. Comments are left out. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  #rest = '';
  text = '';

  /** The data of the events that are whole now. */
  take(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.text += text;
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    return blocks.filter((block) => block.startsWith('data: ')).map((block) => block.slice(6));
  }
}
