/** Kernels of real models as texts by library, with command programs that launch them small. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../packages/repository-root.js';

const math = `library motif.math
func.def export exp(x: f32) -> f32 {
  let y = max(min(x, 80.0), -80.0)
  let n = round(y * 1.44269504)
  let r = y - n * 0.693147182
  let p = 1.0 + r * (1.0 + r * (0.5 + r * (0.16666667 + r * 0.041666668)))
  return p * f32_from_bits(u32(i32(n) + 127) << 23u)
}
`;
const random = `library motif.random
func.def export philox(c: u32x4) -> u32x4 {
  return c * u32x4(2654435761u) + u32x4(c.y, c.z, c.w, c.x)
}
`;
const commands = `library commands
use core { gemm, gemm_tiled, gemv_q8, quant, rms, softmax, attend, sample }
command.def export product(x: root, w: root, y: root) {
  dispatch gemm<64, 32, 4, 2, 1>(x.view<f32>(0, 448), w.view<f32x4>(0, 512), y.view<f32x4>(0, 56), 7) grid(4, 2)
}
command.def export tiled(x: root, w: root, y: root) {
  dispatch gemm_tiled<16, 64, 8>(x.view<f32>(0, 1120), w.view<f32x4>(0, 256), y.view<f32x4>(0, 1120), 70) grid(1, 2)
}
command.def export norms(x: root, g: root, y: root, z: root) {
  dispatch rms<32, 8>(x.view<f32x4>(0, 32), g.view<f32x4>(0, 8), y.view<f32x4>(0, 32), 4, 0.00001) grid(4)
  dispatch softmax<8>(z.view<f32>(0, 36), 9) grid(4)
}
command.def export quantized(x: root, w: root, y: root) {
  workspace q : i8x4[48]
  workspace s : f32[6]
  dispatch quant<64, 2>(x.view<f32x4>(0, 48), q, s, 3) grid(3)
  dispatch gemv_q8<64, 2, 4>(q.as<i8x16>(), s, w.view<i8x16>(0, 28), w.view<f32>(448, 14), y.view<f32>(0, 21), 7, 3) grid(2, 3)
}
command.def export attention(q: root, kv: root, table: root, y: root) {
  dispatch attend<8, 4, 2, 4, 4>(q.view<f32x4>(0, 24), kv.view<f16x4>(0, 64), kv.view<f16x4>(512, 64), table.view<Tok>(0, 3), table.view<Span>(48, 1), table.view<i32>(64, 4), y.view<f32x4>(0, 24), 3, 0.35) grid(3, 2)
}
command.def export draw(logits: root, want: root, out: root) {
  dispatch sample<64, 8>(logits.view<f32>(0, 128), want.view<i32x4>(0, 3), want.view<f32x2>(48, 3), out.view<i32x2>(0, 3), 3) grid(3)
}
`;

const fixture = readFileSync(
  join(repositoryRoot, 'test/runtime/loom/fixtures/kernels.loom'),
  'utf8',
);
const layouts = 'use core { Tok, Span }\n';
export const kernelSources: Readonly<Record<string, string>> = {
  math,
  random,
  core: fixture.replaceAll('layout.def ', 'layout.def export '),
  commands: commands.replace('\n', `\n${layouts}`),
};
