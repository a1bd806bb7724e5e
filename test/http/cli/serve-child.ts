/** `loom-serve serve` over a fake server, as a process of its own that tests send signals to. */
import { appendFileSync } from 'node:fs';
import { runCommand } from '../../../http/cli/program.js';
import { processTerminal } from '../../../http/cli/terminal.js';
import type { Composition, StartedServer, StartOptions } from '../../../http/serving.js';
import type { TrafficSink } from '../../../http/traffic/traffic-lines.js';
import { StatusError } from '../../../runtime/base/errors.js';
import { FakeObserving } from '../fake-observing.js';
import { FakeServing } from '../fake-serving.js';
import { FakeText } from '../fake-text.js';

const serving = new FakeServing();
serving.ids.clear();
const register = serving.register.bind(serving);
serving.register = async (body, options) => {
  if (body.kind === 'package' && body.package.endsWith('broken')) {
    throw new StatusError('invalidArgument', 'a.loom:1:1: broken', {
      details: ['a.loom:1:1: broken', 'a.loom:2:1: broken too'],
    });
  }
  return register(body, options);
};
// A model called `stuck` never answers; nothing but the bound of a drain ends it.
const infer = serving.infer.bind(serving);
serving.infer = (call, options) => {
  if (call.model !== 'stuck') return infer(call, options);
  processTerminal.err('has it');
  return new Promise(() => undefined);
};
serving.drain = async () => {
  processTerminal.err('drained');
};

/** Lines of a recording, as they come. */
const sinkOf = (file: string | null): TrafficSink | null =>
  file === null
    ? null
    : {
        append(line) {
          appendFileSync(file, `${JSON.stringify(line)}\n`);
          return true;
        },
      };

const startServer = async ({ recordFile }: StartOptions): Promise<StartedServer> => ({
  serving,
  text: new FakeText(),
  observing: new FakeObserving(),
  trafficSink: sinkOf(recordFile),
  close: async () => processTerminal.err('closed'),
});
const load = async () => ({ startServer }) as unknown as Composition;

process.exit(await runCommand(process.argv.slice(2), { terminal: processTerminal, load }));
