/**
 * Keeps the model up to date with the server: records as they come, the tree and the requests every
 * second. It goes on by itself after the server was away, and rests while a trace is shown.
 */
import type { ConsoleModel } from './console-model.js';
import { TokenWanted } from './server-client.js';
import type { ServerClient } from './server-client.js';

const lookEveryMs = 1000;
/** A large tree costs the server more to tell. */
const largeTree = 2000;
const retryMs = 2000;

export class LiveFeed {
  readonly #model: ConsoleModel;
  readonly #client: ServerClient;
  readonly #wantToken: (why: string) => void;
  #nextLookMs = 0;
  #nextReadMs = 0;
  #isLooking = false;
  #isReading = false;
  /** A token is asked for: nothing is tried before it is there. */
  #isBarred = false;
  #from = 0;
  /** Of the charts of this server; it may be another one after it was away. */
  #hasCharts = false;

  constructor(model: ConsoleModel, client: ServerClient, wantToken: (why: string) => void) {
    this.#model = model;
    this.#client = client;
    this.#wantToken = wantToken;
  }

  /** Once a frame. */
  pass(nowMs: number): void {
    if (!this.#model.isLive || this.#isBarred) return;
    if (!this.#isLooking && nowMs >= this.#nextLookMs) void this.#look(nowMs);
    if (!this.#isReading && this.#hasCharts && nowMs >= this.#nextReadMs) void this.#read(nowMs);
  }

  /** At once, not when the next look is due. */
  lookNow(): void {
    this.#isBarred = false;
    this.#nextLookMs = 0;
    this.#nextReadMs = 0;
  }

  /** Everything that is kept, once more: the model has begun anew. */
  restart(): void {
    this.#from = 0;
    this.lookNow();
  }

  async setRecording(isOn: boolean): Promise<void> {
    const isRecording = await this.#client.setRecording(isOn).catch((error: unknown) => {
      this.#fail(error);
      return this.#model.isRecording;
    });
    this.#model.isRecording = isRecording;
    this.#model.changed();
  }

  async #look(nowMs: number): Promise<void> {
    this.#isLooking = true;
    try {
      if (!this.#hasCharts) this.#model.useCharts(await this.#client.charts());
      this.#hasCharts = true;
      const [tree, requests, isRecording] = await Promise.all([
        this.#client.tree(),
        this.#client.requests(),
        this.#client.isRecording(),
      ]);
      if (!this.#model.isLive) return;
      this.#model.history.look(tree);
      this.#model.requests = requests;
      this.#model.isRecording = isRecording;
      this.#model.silent = tree.threads.filter(({ answers }) => answers === false);
      this.#model.trouble = null;
      this.#model.changed();
      const isLarge = tree.actors.length > largeTree;
      this.#nextLookMs = nowMs + lookEveryMs * (isLarge ? 2 : 1);
    } catch (error) {
      this.#hasCharts = false;
      this.#nextLookMs = nowMs + retryMs;
      this.#fail(error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #read(nowMs: number): Promise<void> {
    this.#isReading = true;
    const { history } = this.#model;
    try {
      for await (const { id, batch } of this.#client.records(this.#from)) {
        // A trace was opened, or closed, meanwhile: these belong to the past one.
        if (this.#model.history !== history) break;
        this.#from = id;
        history.lost += batch.lost;
        history.add(batch.records);
        this.#model.changed();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
      this.#nextReadMs = nowMs + retryMs;
    }
  }

  #fail(error: unknown): void {
    const { message } = error as Error;
    if (error instanceof TokenWanted) {
      this.#isBarred = true;
      this.#wantToken(message);
    }
    this.#model.trouble = message;
    this.#model.changed();
  }
}
