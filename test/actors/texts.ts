/** Turns, sequences and sessions against a real server, as tests of retained text ask for them. */
import { readFileSync } from 'node:fs';
import type { TextBody, TextResult } from '../../http/text-serving.js';
import type { CallOptions } from '../../http/serving.js';
import { packageFolder, type TestServer } from './running-server.js';

export interface Said {
  readonly ids: readonly number[];
  readonly text: string;
  readonly result: TextResult;
}

export class Texts {
  readonly server: TestServer;
  #asked = 0;

  constructor(server: TestServer) {
    this.server = server;
  }

  /** The id of the last request. */
  get last(): string {
    return `test-${this.#asked}`;
  }

  /** Within half a minute. */
  options(signal: AbortSignal = new AbortController().signal): CallOptions {
    return { signal, deadlineMs: this.server.now() + 30_000 };
  }

  async say(model: string, given: Partial<TextBody>, signal?: AbortSignal): Promise<Said> {
    const ids: number[] = [];
    let text = '';
    this.#asked += 1;
    const call = { requestId: `test-${this.#asked}`, model, body: { ...silent, ...given } };
    const result = await this.server.text.generate(call, {
      ...this.options(signal),
      onDelta: (delta) => {
        text += delta.text;
        ids.push(...delta.tokens.map(({ id }) => id));
      },
    });
    return { ids, text, result };
  }

  /** The package of this name under another id, with other words in its document. */
  async serveAs(id: string, name: string, deployment: object): Promise<void> {
    const base = packageFolder(name);
    const document = JSON.parse(readFileSync(`${base}/model.json`, 'utf8')) as object;
    const model = { ...document, id, deployment };
    await this.server.serving.register({ kind: 'document', id, base, model }, { wait: true });
  }
}

const silent: TextBody = {
  prompt: { kind: 'tokens', ids: [1, 2, 3] },
  session: null,
  maxTokens: 16,
  stop: [],
  sampling: {},
  grammar: null,
  hasTools: false,
};
