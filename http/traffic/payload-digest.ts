/**
 * Digests what leaves as an answer while it leaves, the same on the side of the server and on that
 * of its client. A plain payload is one track. Of a stream each choice has tracks of its own, by
 * what they say and not by how it was divided into events, because that is a matter of the moment.
 *
 * Holds: memory is a block a track, whatever the length of a stream, and a plain payload once.
 */
import { createHash, type Hash } from 'node:crypto';
import { comparable, objectOf, strip } from './exempt-fields.js';
import type { Payload } from './traffic-lines.js';

/** Characters. A digest of each block tells where two payloads begin to differ. */
export const BLOCK = 4096;
const HEAD_MAX = 1024;
const BLOCKS_MAX = 16_384;
/** Characters of a line that an event may have; longer ones end what is read of a stream. */
const LINE_MAX = 16 * 1024 * 1024;

/** What one part of a payload said. */
export interface Track {
  readonly length: number;
  readonly sha256: string;
  /** How it begins. */
  readonly head: string;
  /** Of each block; absent where `head` is everything. */
  readonly blocks?: readonly string[];
}

class TrackDigest {
  readonly #whole: Hash = createHash('sha256');
  readonly #blocks: string[] = [];
  #open = '';
  #head = '';
  #length = 0;

  add(text: string): void {
    this.#length += text.length;
    if (this.#head.length < HEAD_MAX) this.#head = (this.#head + text).slice(0, HEAD_MAX);
    this.#whole.update(text, 'utf8');
    this.#open += text;
    let at = 0;
    for (; this.#open.length - at >= BLOCK; at += BLOCK) {
      this.#close(this.#open.slice(at, at + BLOCK));
    }
    if (at > 0) this.#open = this.#open.slice(at);
  }

  end(): Track {
    const track = { length: this.#length, sha256: this.#whole.digest('hex'), head: this.#head };
    if (this.#length <= HEAD_MAX) return track;
    if (this.#open !== '') this.#close(this.#open);
    return { ...track, blocks: this.#blocks };
  }

  #close(block: string): void {
    if (this.#blocks.length >= BLOCKS_MAX) return;
    this.#blocks.push(createHash('sha256').update(block).digest('hex').slice(0, 12));
  }
}

/** What an event of a stream may hold, as far as it is looked at. */
interface StreamEvent {
  readonly choices?: readonly StreamChoice[];
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface StreamChoice {
  readonly index?: number;
  readonly text?: string;
  readonly delta?: { readonly role?: string; readonly content?: string; tool_calls?: unknown };
  readonly logprobs?: Logprobs | null;
  readonly finish_reason?: string | null;
}

interface Logprobs {
  readonly content?: readonly unknown[];
  readonly tokens?: readonly unknown[];
  readonly [field: string]: unknown;
}

export class PayloadDigest {
  readonly #tracks = new Map<string, TrackDigest>();
  readonly #decoder = new TextDecoder();
  readonly #events: Hash | null;
  readonly #status: number;
  /** Ids of the payload as another run has them. */
  readonly #renamed: (text: string) => string;
  #bytes = 0;
  #count = 0;
  #line = '';
  #text = '';
  #hasFailed = false;
  #isDone = false;
  #made: string | undefined;

  constructor(status: number, contentType: string, renamed = (text: string): string => text) {
    this.#status = status;
    this.#renamed = renamed;
    this.#events = contentType.startsWith('text/event-stream') ? createHash('sha256') : null;
  }

  /** Events that came so far. */
  get events(): number {
    return this.#count;
  }

  take(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#events === null) this.#text += text;
    else this.#takeLines(text);
  }

  end(): Payload {
    if (this.#events === null) this.#endPlain();
    const isStream = this.#events !== null;
    const tracks = [...this.#tracks].map(([name, track]) => [name, track.end()] as const);
    return {
      status: this.#status,
      bytes: this.#bytes,
      events: isStream ? this.#count : null,
      eventsDigest: this.#events?.digest('hex') ?? null,
      isBroken: isStream && (this.#hasFailed || !this.#isDone),
      tracks: Object.fromEntries(tracks),
      ...(this.#made === undefined ? {} : { made: this.#made }),
    };
  }

  #endPlain(): void {
    if (this.#status === 201) {
      const { object, id } = objectOf(this.#text) ?? {};
      if (object === 'session' && typeof id === 'string') this.#made = id;
    }
    this.#track('body').add(comparable(this.#renamed(this.#text)));
    this.#text = '';
  }

  #takeLines(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop()!.slice(0, LINE_MAX);
    for (const line of lines) {
      if (line.startsWith('data:')) this.#event(line.slice(5).trim());
    }
  }

  #event(data: string): void {
    this.#count += 1;
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const event = objectOf(data);
    if (event === null) return this.#track('other').add(`${data}\n`);
    strip(event);
    this.#events!.update(JSON.stringify(event)).update('\n');
    const { choices = [], usage, error } = event as StreamEvent;
    if (error !== undefined) this.#hasFailed = true;
    for (const choice of choices) this.#choice(choice);
    if (usage !== undefined && usage !== null) this.#track('usage').add(JSON.stringify(usage));
  }

  #choice({ index = 0, text, delta, logprobs, finish_reason: finish }: StreamChoice): void {
    const add = (what: string, said: string): void => this.#track(`${index}.${what}`).add(said);
    const said = text ?? delta?.content;
    if (delta?.role !== undefined) add('role', delta.role);
    if (said !== undefined) add('text', said);
    if (delta?.tool_calls !== undefined) add('calls', `${JSON.stringify(delta.tool_calls)}\n`);
    if (logprobs !== undefined && logprobs !== null) add('logprobs', likelihoods(logprobs));
    if (finish !== undefined && finish !== null) add('finish', finish);
  }

  #track(name: string): TrackDigest {
    let track = this.#tracks.get(name);
    if (track === undefined) this.#tracks.set(name, (track = new TrackDigest()));
    return track;
  }
}

/** A line a token, however many came with one event. */
function likelihoods(logprobs: Logprobs): string {
  const { content, tokens = [] } = logprobs;
  if (content !== undefined) return content.map((one) => `${JSON.stringify(one)}\n`).join('');
  const lists = Object.values(logprobs).filter((list): list is unknown[] => Array.isArray(list));
  return tokens.map((_, at) => `${JSON.stringify(lists.map((list) => list[at]))}\n`).join('');
}
