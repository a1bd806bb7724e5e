/**
 * The way of a call that generates text through HTTP, whatever its form: refuses while draining,
 * keeps the deadline, hands one turn for each choice to the server and answers with all of them, at
 * once or as events. When one choice fails the others are told to stop, and the request has failed.
 *
 * The law of a stream: what comes first for a choice, its deltas, one reason for its end; then
 * usage where it was asked for, then [DONE]. After an error nothing comes.
 */
import { StatusError, toStatus } from '../runtime/base/errors.js';
import { allOrNone } from './all-or-none.js';
import { answerJson } from './answer.js';
import type { LoomContext } from './context.js';
import { draining } from './finite-call.js';
import { readJson } from './json-body.js';
import { requireJson } from './middleware/admin-access.js';
import { deadlineOf, generationBound, withDeadline } from './request-deadline.js';
import type { Services } from './services.js';
import type { CallOptions } from './serving.js';
import { openStream, streamed, type SseStream } from './sse.js';
import type { ChoiceWriter } from './text-choice.js';
import { TextMeter } from './text-meter.js';
import type { TextBody, TextCall, TextDelta, TextOptions, TextResult } from './text-serving.js';
import { fingerprintOf, timingsOf, usageOf, type ResultsByPrompt } from './text-usage.js';

export interface TextRoute {
  readonly path: string;
  /** Checks a parsed body and says what to generate; may ask the server for what that takes. */
  readonly read: (body: unknown, options: CallOptions) => TextReading | Promise<TextReading>;
}

export interface TextReading {
  readonly form: TextForm;
  readonly model: string;
  /** In the order of their index; those of one prompt are neighbours. */
  readonly choices: readonly Choice[];
  readonly choicesPerPrompt: number;
  /** What the request calls its prompt, for errors. */
  readonly promptField: 'prompt' | 'messages';
  readonly isStream: boolean;
  readonly hasUsage: boolean;
}

export interface Choice {
  readonly body: TextBody;
  readonly writer: ChoiceWriter;
}

/** How answers of a route call themselves. */
export interface TextForm {
  readonly idPrefix: string;
  readonly whole: string;
  readonly chunk: string;
}

export async function answerGenerated(
  c: LoomContext,
  services: Services,
  { path, read }: TextRoute,
): Promise<Response> {
  const { limits } = services;
  const scope = c.get('scope');
  scope.route = path;
  if (services.isDraining()) throw draining();
  requireJson(c.req.header('content-type'));
  let stream: SseStream | null = null;
  try {
    return await withDeadline(deadlineOf(c, services, generationBound(limits)), async (options) => {
      const value = await readJson(c.req.raw, {
        bodyBytesMax: limits.bodyBytesMax,
        lists: { elementsMax: limits.batchMax, knob: '--max-batch N' },
        exchange: scope.exchange,
      });
      const reading = await read(value, options);
      // Its body came when the deadline had answered already, or its client had left.
      if (options.signal.aborted) throw new StatusError('cancelled', 'the request is over');
      const turns = new Turns(c, services, reading);
      if (!reading.isStream) return answerJson(c, await turns.gather(options));
      stream = openStream(c, services);
      await turns.stream(stream, options);
      return streamed();
    });
  } catch (error) {
    return failed(c, stream, error);
  }
}

/** Before a stream has begun an error is an answer like any other. */
function failed(c: LoomContext, stream: SseStream | null, error: unknown): Response {
  if (stream === null || !stream.hasBegun) {
    stream?.end();
    throw error;
  }
  c.get('scope').failure = error;
  stream.fail(error);
  return streamed();
}

class Turns {
  readonly #c: LoomContext;
  readonly #services: Services;
  readonly #reading: TextReading;
  readonly #meter: TextMeter;
  readonly #id: string;
  readonly #createdS: number;

  constructor(c: LoomContext, services: Services, reading: TextReading) {
    this.#c = c;
    this.#services = services;
    this.#reading = reading;
    this.#meter = new TextMeter(services, c.get('scope'), reading.model);
    this.#id = services.ports.ids.next(reading.form.idPrefix);
    this.#createdS = Math.floor(services.ports.clock.wallTime() / 1000);
  }

  async gather(options: CallOptions): Promise<object> {
    const { choices, form } = this.#reading;
    const results = await this.#run(options, {
      delta: ({ writer }, delta) => {
        writer.gather(delta);
        return null;
      },
      ended: () => undefined,
    });
    const prompts = this.#byPrompt(results);
    this.#meter.ended(prompts);
    return {
      ...this.#head(form.whole),
      system_fingerprint: fingerprintOf(results[0]!),
      choices: choices.map(({ writer }, at) => writer.whole(results[at]!)),
      usage: usageOf(prompts),
      timings: timingsOf(results),
    };
  }

  async stream(stream: SseStream, options: CallOptions): Promise<void> {
    const { form, hasUsage } = this.#reading;
    const head = JSON.stringify(this.#head(form.chunk)).slice(0, -1);
    const usage = hasUsage ? ',"usage":null' : '';
    const send = (choice: object, more: string): Promise<void> | null =>
      stream.send(`${head},"choices":[${JSON.stringify(choice)}]${usage}${more}}`);
    const begun = new Set<Choice>();
    const begin = (choice: Choice): void => {
      if (begun.has(choice)) return;
      begun.add(choice);
      const first = choice.writer.first();
      if (first !== null) void send(first, '');
    };
    const results = await this.#run(options, {
      delta: (choice, delta) => {
        begin(choice);
        const written = choice.writer.delta(delta);
        return written === null ? null : send(written, '');
      },
      ended: (choice, result) => {
        begin(choice);
        const last = choice.writer.last(result);
        for (const written of last.slice(0, -1)) void send(written, '');
        void send(last.at(-1)!, closing(result, hasUsage));
      },
    });
    const prompts = this.#byPrompt(results);
    this.#meter.ended(prompts);
    if (hasUsage) void stream.send(`${head},"choices":[],${costOf(prompts)}}`);
    void stream.send('[DONE]');
    stream.end();
  }

  #head(object: string): object {
    return { id: this.#id, object, created: this.#createdS, model: this.#reading.model };
  }

  /** One turn a choice, all at once: the server decides which wait. */
  #run(options: CallOptions, sink: ChoiceSink): Promise<readonly TextResult[]> {
    return allOrNone(options, this.#reading.choices, (choice, at, bounds) =>
      this.#turn(choice, at, { ...bounds, sink }),
    );
  }

  async #turn(
    choice: Choice,
    at: number,
    { sink, ...options }: CallOptions & { readonly sink: ChoiceSink },
  ): Promise<TextResult> {
    const { model, choices } = this.#reading;
    const { requestId } = this.#c.get('scope');
    let wasHeld = false;
    const onDelta = (delta: TextDelta): Promise<void> | void => {
      this.#meter.saw(at, delta, wasHeld);
      const held = sink.delta(choice, delta);
      wasHeld = held !== null;
      return held ?? undefined;
    };
    const id = choices.length === 1 ? requestId : `${requestId}#${at}`;
    const call = { requestId: id, model, body: choice.body };
    const result = await this.#generated(call, { ...options, onDelta });
    sink.ended(choice, result);
    return result;
  }

  async #generated(call: TextCall, options: TextOptions): Promise<TextResult> {
    try {
      return await this.#services.text.generate(call, options);
    } catch (error) {
      const { promptField } = this.#reading;
      const status = toStatus(error);
      if (status.param !== 'prompt' || promptField === 'prompt') throw error;
      throw StatusError.from({ ...status, param: promptField });
    }
  }

  #byPrompt(results: readonly TextResult[]): ResultsByPrompt {
    const { choicesPerPrompt } = this.#reading;
    return Array.from({ length: results.length / choicesPerPrompt }, (_, prompt) =>
      results.slice(prompt * choicesPerPrompt, (prompt + 1) * choicesPerPrompt),
    );
  }
}

interface ChoiceSink {
  /** A promise where the choice shall wait. */
  delta(choice: Choice, delta: TextDelta): Promise<void> | null;
  ended(choice: Choice, result: TextResult): void;
}

/** What is known with the end of a choice; timings of all go with the usage. */
function closing(result: TextResult, hasUsage: boolean): string {
  const fingerprint = `,"system_fingerprint":${JSON.stringify(fingerprintOf(result))}`;
  return hasUsage ? fingerprint : `${fingerprint},"timings":${JSON.stringify(timingsOf([result]))}`;
}

const costOf = (prompts: ResultsByPrompt): string =>
  `"usage":${JSON.stringify(usageOf(prompts))},"timings":${JSON.stringify(timingsOf(prompts.flat()))}`;
