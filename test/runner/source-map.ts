/** Reads the mappings of a source map (version 3, one source): what came from which line. */

export interface MappedPosition {
  /** From 0, in the built file. */
  readonly line: number;
  readonly column: number;
  /** From 1, in the source file. */
  readonly sourceLine: number;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitValues = new Map([...digits].map((digit, value) => [digit, value]));

export function* mappedPositions(mapText: string): Generator<MappedPosition> {
  const { mappings } = JSON.parse(mapText) as { mappings: string };
  let sourceLine = 0;
  for (const [line, lineText] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of lineText.split(',')) {
      const [columnStep, , lineStep] = decodeSegment(segment);
      if (columnStep === undefined) continue;
      column += columnStep;
      if (lineStep === undefined) continue;
      sourceLine += lineStep;
      yield { line, column, sourceLine: sourceLine + 1 };
    }
  }
}

/** Base-64 digits of five bits, lowest first, the sixth says that more follow; sign in bit 0. */
function decodeSegment(segment: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = digitValues.get(digit) ?? 0;
    value += (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    values.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return values;
}
