/** A package with one large bank whose policy copies it: what an activation costs at least. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hostTexts } from '../actors/model/weighty-package.js';
import { safetensorsWriter } from '../../runtime/parameters/checkpoints/safetensors-writer.js';

/** Elements of a row. */
const COLUMNS = 1_000;

const textsOf = (rows: number): Readonly<Record<string, string>> => ({
  ...hostTexts('copied', 1),
  'kernel.loom': `library copied
func.decl import("weights") find(input: i64, key: string) -> tensor
func.decl import("weights") copy(field: string, at: i64, t: tensor, first: i64, rows: i64)
bank.def Values { values: f32[${rows * COLUMNS}] }
func.def export policy() {
  copy("values", 0, find(0, "values"), 0, ${rows})
}
kernel.def pick(x: in view<i32>, values: in view<f32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = values[x[i]] }
}
command.def export forward(input: root, output: root, w: param Values) {
  dispatch pick(input, w.values, output) grid(1)
}
`,
});

/** Writes the package "copied" with `rows` rows of 1000 elements; the path of its checkpoint. */
export function writeCopied(folder: string, rows: number): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(textsOf(rows))) writeFileSync(join(folder, name), text);
  const document = {
    loom: 1,
    id: 'copied',
    profile: 'embeddings',
    definition: { prepare: 'prepare.loom', control: 'control.loom', sources: ['kernel.loom'] },
  };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(document));
  const path = join(folder, 'values.safetensors');
  const { header } = safetensorsWriter([{ name: 'values', type: 'F32', shape: [rows, COLUMNS] }]);
  const file = openSync(path, 'w');
  writeSync(file, header);
  const block = new Uint8Array(new Float32Array(COLUMNS * 1_000).fill(0.5).buffer);
  for (let done = 0; done < rows; done += 1_000) {
    writeSync(file, block.subarray(0, Math.min(1_000, rows - done) * COLUMNS * 4));
  }
  closeSync(file);
  return path;
}
