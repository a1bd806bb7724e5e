/** Packages of models/tiny-text: with sizes of their own, or with faults that a seed chooses. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder, type TestServer } from '../running-server.js';

const base = packageFolder('tiny-text');

export interface TextSizes {
  readonly rows?: number;
  readonly context?: number;
  readonly pages?: number;
  readonly states?: number;
}

export async function serveSized(
  server: TestServer,
  id: string,
  options: TextSizes,
): Promise<void> {
  const document = JSON.parse(readFileSync(`${base}/model.json`, 'utf8')) as { definition: object };
  const model = { ...document, id, definition: { ...document.definition, options } };
  await server.serving.register({ kind: 'document', id, base, model }, { wait: true });
}

/** Seeds of turns that are at fault, by what they do. */
export const culprits = {
  'a trap in encode_epoch': 9_001,
  'an invalid transfer plan': 9_002,
  'a trap in publish_epoch': 9_003,
  'an invalid publication': 9_004,
} as const;

/** Proposing fails for rows that begin with this id. */
export const trappedDraft = 90;

const trap = '{ let bad = buffer.new(0).u8[0] }';

/** Copies of the package whose entries fail where a span has such a seed. */
export function writeFaulty(): { readonly folder: string; readonly remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'loom-text-'));
  const folder = join(root, 'tiny-text');
  cpSync(base, folder, { recursive: true });
  cpSync(packageFolder('motifs'), join(root, 'motifs'), { recursive: true });
  const control = readFileSync(join(folder, 'control.loom'), 'utf8');
  const edited = [
    [
      'return (outputs, plan, 0, plan.len)',
      `var length = plan.len
  for s in 0..spans.len / Given.size {
    let seed = spans.at<Given>(s).seed
    if seed == 9001 ${trap}
    if seed == 9002 { length += 40 }
  }
  return (outputs, plan, 0, length)`,
    ],
    [
      '    let outputs = outputs_of(',
      `    if span.seed == 9003 ${trap}
    let outputs = outputs_of(`,
    ],
    [
      'return proposed(ids, count)',
      `if ids.i32[0] == ${trappedDraft} ${trap}
  return proposed(ids, count)`,
    ],
    [
      '    output += outputs\n',
      `    if span.seed == 9004 { published.i64[s * 4] = span.count + 1 }
    output += outputs\n`,
    ],
  ].reduce((text, [from, to]) => {
    if (!text.includes(from!)) throw new Error(`control.loom has no ${from}`);
    return text.replace(from!, to!);
  }, control);
  writeFileSync(join(folder, 'control.loom'), edited);
  return { folder, remove: () => rmSync(root, { recursive: true }) };
}
