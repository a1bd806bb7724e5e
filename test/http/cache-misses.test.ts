/**
 * Law: on the way of a request no code of ours looks up a field in the slow way each time. An
 * object that is made of another one's fields and then given more (`{ ...one, more }`) has a shape
 * that V8 keeps no cache for: whoever touches it afterwards pays a microsecond at each field. Seen
 * in the log that V8 itself keeps of its inline caches, over the real server on its threads.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { build, root, startProgram } from '../bench/server-process.js';
import { missSites } from './cache-misses.js';

const test = suite('cache misses');
const ours = /\/(?:actors|runtime|http)\//;
const CLIENTS = 32;
const WARM_REQUESTS = 3_000;
const REQUESTS = 1_000;

test('a finite request looks up no field in the slow way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loom-caches-'));
  try {
    const logs = () => readdirSync(folder).map((name) => join(folder, name));
    const flags = ['--log-ic', `--logfile=${join(folder, '%p.log')}`];
    const serve = [join(build, 'http', 'main.js'), 'serve', join(root, 'models', 'first-output')];
    const server = await startProgram([...flags, ...serve, '--port', '0', '--log-level', 'error']);
    await load(server.url, WARM_REQUESTS);
    const before = new Map(logs().map((file) => [file, statSync(file).size]));
    await load(server.url, REQUESTS);
    await server.stop();
    const files = logs();
    assert.ok(files.length > 3, 'a log of each thread');
    const sites = files.flatMap((file) =>
      missSites(readFileSync(file, 'latin1'), ours, before.get(file) ?? 0),
    );
    const often = sites.filter(({ count }) => count > REQUESTS / 2);
    assert.equal(often, [], 'sites that miss at every request');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what misses for ever is found in a log', () => {
  const log = [
    'code-creation,JS,10,100,0x1000,64,early file:///x/runtime/a.js:1:1,0x1,~',
    'code-creation,JS,10,200,0x2000,64,slow file:///x/runtime/b.js:3:1,0x1,*',
    'code-creation,JS,10,200,0x3000,64,theirs node:http:3:1,0x1,*',
    'LoadIC,0x2010,300,7,9,N,N,0xabc,field,,',
    'LoadIC,0x2010,301,7,9,N,N,0xabc,field,,',
    'LoadIC,0x2010,302,7,9,0,1,0xabc,field,,',
    'StoreIC,0x3010,303,1,2,N,N,0xabc,other,,',
  ].join('\n');
  const place = "LoadIC of 'field' at 7:9, compiled into slow file:///x/runtime/b.js:3:1";
  assert.equal(missSites(log, ours, 0), [{ place, count: 2 }]);
});

async function load(url: string, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let left = requests;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await post(`${url}/v1/embeddings`, agent);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
}

function post(url: string, agent: Agent): Promise<void> {
  const body = JSON.stringify({ model: 'first-output', input: 'hello' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`answered with ${answer.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test.run();
