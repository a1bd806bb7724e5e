/**
 * `models/motifs/unicode-tables.loom` as the Unicode data of the running Node give it. The file is
 * data only; what reads it is `unicode.loom` beside it.
 */

/** Code points that are no characters: UTF-8 cannot spell them. */
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/** How `unicode.loom` tells code points apart, one letter each. */
export type Kind = 'o' | 'b' | 'l' | 'c' | 'i';

export function kindOf(code: number): Kind {
  if (isSurrogate(code)) return 'o';
  const character = String.fromCodePoint(code);
  if (/\s/u.test(character)) return 'b';
  if (!/[\p{L}\p{M}]/u.test(character)) return 'o';
  if (/\p{Case_Ignorable}/u.test(character)) return 'i';
  return /\p{Cased}/u.test(character) ? 'c' : 'l';
}

/** Each code point where the kind changes, as the distance from the one before and the new kind. */
export function kindChanges(): string {
  const changes: string[] = [];
  let kind: Kind = 'o';
  let last = 0;
  for (let code = 0; code <= 0x10ffff; code++) {
    const next = kindOf(code);
    if (next === kind) continue;
    changes.push(`${code - last}${next}`);
    kind = next;
    last = code;
  }
  return changes.join('');
}

interface Run {
  readonly first: number;
  readonly shift: number;
  step: number;
  last: number;
}

/** Runs of letters, evenly spaced, whose lower case is as far away: first, last, step, shift. */
export function lowerRuns(): string {
  const runs: Run[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const shift = shiftOf(code);
    if (shift === 0) continue;
    const run = runs.at(-1);
    const step = run === undefined ? 0 : code - run.last;
    const follows = run?.first === run?.last ? step <= 2 : step === run?.step;
    if (run?.shift === shift && follows) Object.assign(run, { last: code, step });
    else runs.push({ first: code, last: code, step: 1, shift });
  }
  return runs.map(({ first, last, step, shift }) => `${first} ${last} ${step} ${shift} `).join('');
}

/** U+0130 has two code points in lower case, and is left to the program. */
function shiftOf(code: number): number {
  if (isSurrogate(code) || code === 0x130) return 0;
  const lower = [...String.fromCodePoint(code).toLowerCase()];
  if (lower.length !== 1) throw new Error(`U+${code.toString(16)} needs a case of its own`);
  return lower[0]!.codePointAt(0)! - code;
}

export function unicodeTables(): string {
  return [
    `// Made by test/models/unicode.test.ts (UPDATE_GOLDEN=1), Unicode ${process.versions.unicode}.`,
    '// What the numbers say is in unicode.loom.',
    'library motif.unicode_tables',
    '',
    ...table('kind_changes', kindChanges()),
    '',
    ...table('lower_runs', lowerRuns()),
    '',
  ].join('\n');
}

function table(name: string, text: string): readonly string[] {
  const rows = text.match(/.{1,92}/g)!.map((row) => `    "${row}"`);
  return [
    `func.def export ${name}() -> list<string> {`,
    '  return list<string>(',
    rows.join(',\n'),
    '  )',
    '}',
  ];
}
