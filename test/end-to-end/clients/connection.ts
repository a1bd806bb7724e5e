/**
 * A client down at the socket: writes bytes as they are, leaves when it likes, reads or does not.
 * Answers are cut by their content-length, which every answer of this server has.
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class Connection {
  readonly socket: Socket;
  readonly answers: RawAnswer[] = [];
  /** Resolves when the socket is closed, from whichever side. */
  readonly closed: Promise<void>;
  #bytes = Buffer.alloc(0);
  #waiting: (() => void)[] = [];
  #isClosed = false;

  private constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    // A client that leaves may find the other end gone already.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.once('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve();
      }),
    );
    this.socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  static async open(url: string): Promise<Connection> {
    const connection = new Connection(url);
    await new Promise<void>((resolve) => connection.socket.once('connect', resolve));
    return connection;
  }

  send(bytes: string): void {
    this.socket.write(bytes);
  }

  leave(): void {
    this.socket.destroy();
  }

  /** The first `count` answers, or fewer when the socket closes before. */
  async receive(count: number): Promise<readonly RawAnswer[]> {
    while (this.answers.length < count && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.answers;
  }

  #take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (let answer = this.#cut(); answer !== null; answer = this.#cut()) this.answers.push(answer);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #cut(): RawAnswer | null {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      }),
    );
    const from = end + 4;
    const length = Number(headers['content-length'] ?? 0);
    if (this.#bytes.length < from + length) return null;
    const body = this.#bytes.subarray(from, from + length).toString();
    this.#bytes = this.#bytes.subarray(from + length);
    return { status: Number(first.split(' ')[1]), headers, body };
  }
}

/** A POST as text. `body` is JSON unless it is a string. */
export function postText(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

export const embedText = (
  model: string,
  input: unknown,
  headers: Readonly<Record<string, string>> = {},
): string => postText('/v1/embeddings', { model, input }, headers);
