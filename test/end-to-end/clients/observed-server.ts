/** The real command with what tests ask it over HTTP: states of models, gauges, quiet. */
import * as assert from 'uvu/assert';
import { tmpdir } from 'node:os';
import { serveCommand, type ServedCommand } from '../command.js';

export interface ModelView {
  readonly state: string;
  readonly inFlight: number;
  readonly waiting: number;
}

export interface ObservedServer extends ServedCommand {
  model(id: string): Promise<ModelView>;
  /** Sum of a metric over the label sets that contain `labels`. */
  metric(name: string, ...labels: readonly string[]): Promise<number>;
  embed(model: string, input: unknown): Promise<number[][]>;
  /** Laws I8: nothing is open, nothing waits, the device holds nothing. Waits for it. */
  becomesQuiet(model: string): Promise<void>;
}

/** Asks again until it holds. The file's time limit is the bound. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((next) => setTimeout(next, 5));
}

export async function observedServer(args: readonly string[]): Promise<ObservedServer> {
  const served = await serveCommand(args, tmpdir());
  const { url } = served;
  const model = async (id: string): Promise<ModelView> =>
    (await (await fetch(`${url}/admin/models/${id}`)).json()) as ModelView;
  const metric = async (name: string, ...labels: readonly string[]): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    const chosen = lines.filter((line) => labels.every((label) => line.includes(label)));
    return chosen.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const isQuiet = async (id: string): Promise<boolean> => {
    const { inFlight, waiting } = await model(id);
    return inFlight === 0 && waiting === 0 && (await metric('loom_device_bytes')) === 0;
  };
  return {
    ...served,
    model,
    metric,
    becomesQuiet: (id) => until(() => isQuiet(id)),
    async embed(id, input) {
      const response = await fetch(`${url}/v1/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: id, input }),
      });
      const text = await response.text();
      assert.is(response.status, 200, text);
      const { data } = JSON.parse(text) as { data: { embedding: number[] }[] };
      return data.map((row) => row.embedding);
    },
  };
}
