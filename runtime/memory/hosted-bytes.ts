/**
 * Bytes of hosted roots as a submission uploads them, for devices whose memory the host does not
 * see: scalars and grids are read from these. Bytes that no upload covers are zero.
 */
import type { BufferRange, Submission } from '../hal/submission.js';
import type { ExecutableInfo } from '../hal/executable.js';

/** By root; null where the program reads no words of it. */
export function hostedBytes(
  info: ExecutableInfo,
  roots: readonly BufferRange[],
  uploads: Submission['uploads'],
): readonly (Uint8Array | null)[] {
  return info.roots.map(({ hosted }, index) =>
    hosted ? uploadedTo(roots[index]!, uploads) : null,
  );
}

function uploadedTo(root: BufferRange, uploads: Submission['uploads']): Uint8Array {
  const bytes = new Uint8Array(root.length);
  for (const { target, bytes: uploaded } of uploads) {
    if (target.buffer !== root.buffer) continue;
    const from = Math.max(target.offset, root.offset);
    const to = Math.min(target.offset + target.length, root.offset + root.length);
    if (from >= to) continue;
    bytes.set(uploaded.subarray(from - target.offset, to - target.offset), from - root.offset);
  }
  return bytes;
}
