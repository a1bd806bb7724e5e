/**
 * What OpenTelemetry is told of a request: one span for its whole way, and one below it for each
 * phase that the server timed. Names follow the semantic conventions of HTTP servers and of
 * generative models; what has no name there is `loom.*`. Nothing of prompts or answers is told.
 */
import type { RequestScope } from './context.js';

export interface EndedRequest {
  readonly scope: RequestScope;
  readonly method: string;
  readonly status: number;
  readonly error: Error | undefined;
  readonly elapsedMs: number;
  /** The header of that name: whose span this one is part of. */
  readonly traceparent: string | undefined;
}

/** Where ended requests are told; services have none unless an operator asked for it. */
export interface RequestSpans {
  ended(request: EndedRequest): void;
  /** What was told and has not left yet is sent, for a bounded time. */
  close(): Promise<void>;
}

export type SpanAttributes = Record<string, string | number>;

export interface Phase {
  readonly name: string;
  /** From the arrival of the request. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** `gen_ai.operation.name` of the routes that have one. */
const operations: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'text_completion',
  '/v1/embeddings': 'embeddings',
};

/** Fields of a request's notes, and the attributes that they become. */
const attributeOf: Readonly<Record<string, string>> = {
  model: 'gen_ai.response.model',
  promptTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  generation: 'loom.generation',
  fingerprint: 'loom.fingerprint',
  choices: 'loom.choices',
  rows: 'loom.rows',
  units: 'loom.units',
  cohortSize: 'loom.cohort_size',
};

/** Timed fields of the notes, in the order in which a request goes through them. */
const phases = {
  prepareMs: 'prepare',
  queueMs: 'queue',
  promptMs: 'prompt',
  executeMs: 'execute',
  generateMs: 'generate',
} as const;

export function spanName({ scope, method }: EndedRequest): string {
  const operation = operations[scope.route];
  if (operation !== undefined && scope.model !== '') return `${operation} ${scope.model}`;
  return `${method} ${scope.route}`;
}

export function spanAttributes(request: EndedRequest): SpanAttributes {
  const { scope, method, status, error } = request;
  const attributes: SpanAttributes = {
    'http.request.method': method,
    'http.route': scope.route,
    'http.response.status_code': status,
    'loom.request_id': scope.requestId,
  };
  const operation = operations[scope.route];
  if (operation !== undefined) attributes['gen_ai.operation.name'] = operation;
  if (error !== undefined) attributes['error.type'] = error.name;
  for (const [field, value] of Object.entries(scope.notes ?? {})) {
    const name = attributeOf[field];
    if (name === undefined) continue;
    if (typeof value === 'string' || typeof value === 'number') attributes[name] = value;
  }
  return attributes;
}

/** The phases one after the other, the last one ending with the answer. */
export function spanPhases({ scope, elapsedMs }: EndedRequest): Phase[] {
  const notes = (scope.notes ?? {}) as Readonly<Record<string, unknown>>;
  const timed = Object.entries(phases).flatMap(([field, name]) => {
    const ms = notes[field];
    return typeof ms === 'number' && ms > 0 ? [{ name, ms }] : [];
  });
  let fromMs = Math.max(0, elapsedMs - timed.reduce((sum, { ms }) => sum + ms, 0));
  return timed.map(({ name, ms }) => {
    const phase = { name, fromMs, toMs: Math.min(elapsedMs, fromMs + ms) };
    fromMs = phase.toMs;
    return phase;
  });
}
