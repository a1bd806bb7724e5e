/**
 * Every package of the repository with a finite profile on a WebGPU device, over threads: its rows
 * are those of the local device within 1e-5 of their largest value, and have the same bits alone
 * and in any cohort.
 *
 * time limit: 240 s (shaders are compiled on the first run, and found in the driver's cache later)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOptions } from '../../../http/serving.js';
import type { Question } from '../../../runtime/profiles/decisions.js';
import { adapter, onAdapter } from '../../runtime/hal/webgpu/adapter.js';
import { repositoryRoot } from '../../runtime/packages/repository-root.js';
import { withServer, type TestServer } from '../running-server.js';
import { deviceOf } from './traffic.js';

/** Digits lead, for the package that is told by them how long to take. */
const TEXTS = ['010 How old are you?', '000 a b c', '001 Quel âge as-tu ?', '000', '000 über'];
const LABELS = ['eng', 'fra', 'deu'];
/** Of the largest value of a row: small ones are what is left of sums that cancel. */
const RELATIVE = 1e-5;

type Rows = readonly (readonly number[])[];

/** Ids of packages by profile. */
function packagesOf(profile: string): readonly string[] {
  const models = join(repositoryRoot, 'models');
  return readdirSync(models).filter((name) => {
    const path = join(models, name, 'model.json');
    if (!existsSync(path)) return false;
    const document = JSON.parse(readFileSync(path, 'utf8')) as { profile: string };
    return document.profile === profile;
  });
}

const decisions = packagesOf('decisions');
const packages = [...packagesOf('embeddings'), ...decisions];

async function ask(server: TestServer, model: string, texts: readonly string[]): Promise<Rows> {
  if (!decisions.includes(model)) return plain((await server.embed(model, texts)).rows);
  const questions = texts.map((text): Question => {
    return { kind: 'choice', text, context: '', labels: LABELS };
  });
  const { rows } = await server.serving.infer(
    { requestId: `decide ${texts.join()}`, model, body: { profile: 'decisions', questions } },
    { signal: new AbortController().signal, deadlineMs: server.now() + 60_000 },
  );
  return plain(rows);
}

const plain = (rows: readonly Float32Array[]): Rows => rows.map((row) => [...row]);

/** Rows of each text alone, after they proved to be the same in company of every kind. */
async function rowsOf(server: TestServer, model: string): Promise<Rows> {
  const alone: (readonly number[])[] = [];
  for (const text of TEXTS) alone.push(...(await ask(server, model, [text])));
  assert.equal(await ask(server, model, TEXTS), alone, `${model}: in one request`);
  const turned = [...TEXTS].reverse();
  const together = await Promise.all(turned.map((text) => ask(server, model, [text])));
  assert.equal(together.flat(), [...alone].reverse(), `${model}: in several at once`);
  return alone;
}

const answersOn = async (options: Partial<StartOptions>): Promise<Map<string, Rows>> => {
  const answers = new Map<string, Rows>();
  const asked = async (server: TestServer): Promise<void> => {
    const { driver } = await deviceOf(server);
    assert.is(driver, options.device === undefined ? 'local' : 'webgpu');
    for (const model of packages) answers.set(model, await rowsOf(server, model));
  };
  await withServer(packages, asked, options);
  return answers;
};

onAdapter(
  test,
  'every finite package answers as on the local device, the same in any cohort',
  async () => {
    assert.ok(packages.length >= 8, 'the packages are found');
    const local = await answersOn({});
    const ours = await answersOn({ device: `webgpu:${adapter!.name}` });
    for (const model of packages) {
      ours.get(model)!.forEach((row, at) => {
        const want = local.get(model)![at]!;
        assert.is(row.length, want.length);
        const bound = RELATIVE * want.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        row.forEach((value, i) => {
          const message = `${model}, text ${at}, value ${i}: ${value}, not ${want[i]}`;
          assert.ok(Math.abs(value - want[i]!) <= bound, message);
        });
      });
    }
  },
);

test.run();
