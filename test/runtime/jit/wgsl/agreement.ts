/** How bytes of a shader are compared with those of the interpreter. */
const ulpsMax = 2;
const relativeMax = 1e-5;
/** Below this a difference is told absolutely: sums that cancel leave what their terms lost. */
const scaleMin = 1;

/** What the words of a root hold; several repeat. */
export type Content = 'f32' | 'word' | readonly ('f32' | 'word')[];

/** Words that differ by more than floats may. */
export function differences(
  actual: Uint8Array,
  expected: Uint8Array,
  content: Content,
): readonly string[] {
  const contents = typeof content === 'string' ? [content] : content;
  const found: string[] = [];
  const [a, e] = [actual, expected].map((bytes) => new DataView(bytes.slice().buffer));
  for (let at = 0; at + 4 <= expected.length; at += 4) {
    if (a!.getUint32(at, true) === e!.getUint32(at, true)) continue;
    if (contents[(at / 4) % contents.length] === 'f32') {
      const [got, want] = [a!.getFloat32(at, true), e!.getFloat32(at, true)];
      if (isNear(got, want)) continue;
      found.push(`byte ${at}: ${got} instead of ${want}`);
    } else {
      found.push(`byte ${at}: word ${a!.getInt32(at, true)} instead of ${e!.getInt32(at, true)}`);
    }
  }
  return found.slice(0, 5);
}

function isNear(got: number, want: number): boolean {
  if (got === want) return true;
  const distance = Math.abs(got - want);
  const ulp = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(want), 2 ** -126))) - 23);
  return distance <= ulpsMax * ulp || distance <= relativeMax * Math.max(Math.abs(want), scaleMin);
}
