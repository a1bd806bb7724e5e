/** What a collector hears of requests, over the protocol that real ones speak. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openOtlpSpans } from '../../http/otlp-spans.js';
import type { RequestSpans } from '../../http/request-spans.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { harness, type Harness } from './harness.js';

interface HeardSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
  }[];
}

interface HeardBatch {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly HeardSpan[] }[];
  }[];
}

/** A collector that answers with `status`, and all that it was sent. */
async function collector(status = 200) {
  const spans: HeardSpan[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      paths.push(request.url ?? '');
      const batch = JSON.parse(text) as HeardBatch;
      for (const { scopeSpans } of batch.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => void server.close();
  return { url, spans, paths, close };
}

const { clock } = systemPorts('test');
const logged: string[] = [];
const line = (_: object, text: string): void => void logged.push(text);
const log = { debug: line, info: line, warn: line, error: line };
const open = (url: string): Promise<RequestSpans> =>
  openOtlpSpans({ url, version: '1.2.3', clock, log, patienceMs: 300 });

const attribute = (span: HeardSpan, key: string): string | number | undefined => {
  const { value } = span.attributes.find((one) => one.key === key) ?? {};
  return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
};

/** Requests to a fake server whose spans the collector at `url` gets. */
async function told(url: string, requests: (made: Harness) => Promise<void>): Promise<void> {
  const spans = await open(url);
  await requests(harness({ spans }));
  await spans.close();
}

const parent = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };

test('a request is a span of the trace that its client names, its phases are spans below', async () => {
  const { url, spans, paths, close } = await collector();
  await told(url, async (made) => {
    const headers = {
      'x-request-id': 'mine',
      traceparent: `00-${parent.trace}-${parent.span}-01`,
    };
    const body = { model: 'm', messages: [{ role: 'user', content: 'a secret' }] };
    assert.is((await made.post('/v1/chat/completions', body, headers)).status, 200);
  });
  close();
  assert.equal([...new Set(paths)], ['/v1/traces']);
  const whole = spans.find((span) => span.parentSpanId === parent.span)!;
  assert.is(whole.traceId, parent.trace);
  assert.is(whole.name, 'chat m');
  const heard = ['loom.request_id', 'http.route', 'gen_ai.response.model'].map((key) =>
    attribute(whole, key),
  );
  assert.equal(heard, ['mine', '/v1/chat/completions', 'm']);
  assert.is(attribute(whole, 'http.response.status_code'), 200);
  assert.type(attribute(whole, 'gen_ai.usage.output_tokens'), 'number');
  const below = spans.filter((span) => span.parentSpanId === whole.spanId);
  assert.is(below.length, spans.length - 1);
  for (const span of below) {
    assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(whole.startTimeUnixNano));
    assert.ok(BigInt(span.endTimeUnixNano) <= BigInt(whole.endTimeUnixNano));
  }
  assert.not.match(JSON.stringify(spans), /secret/);
});

test('a request without a trace of its own begins one, and a failed one says so', async () => {
  const { url, spans, close } = await collector();
  await told(url, async (made) => {
    made.serving.failures.push(new Error('broken'));
    await made.post('/v1/embeddings', { model: 'm', input: 'x' }, { traceparent: 'nonsense' });
    await made.get('/nowhere');
  });
  close();
  const [failed, unknown] = spans;
  assert.is(failed!.parentSpanId ?? '', '');
  assert.is(failed!.status?.code, 2);
  assert.is(attribute(failed!, 'http.response.status_code'), 500);
  assert.is(unknown!.name, 'GET unmatched');
  assert.is.not(unknown!.status?.code, 2);
  assert.is.not(failed!.traceId, unknown!.traceId);
});

test('a collector that refuses or is gone costs spans and a line, never a request', async () => {
  const refusing = await collector(400);
  const gone = await collector();
  gone.close();
  for (const { url } of [refusing, gone]) {
    logged.length = 0;
    await told(url, async (made) => {
      assert.is((await made.get('/v1/models')).status, 200);
    });
    assert.match(logged.join('\n'), /OpenTelemetry/);
  }
  refusing.close();
});

test.run();
