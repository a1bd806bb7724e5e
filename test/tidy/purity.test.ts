import { test } from 'uvu';
import { codeText } from './code-text.js';
import { lineAt, report, shipped } from './sources.js';

interface Rule {
  readonly pattern: RegExp;
  readonly says: string;
  applies(path: string): boolean;
}

const outsideBase = (path: string): boolean => !path.startsWith('runtime/base/');

/**
 * Host no actor: the composition, the door to the promise world, the programs that open a driver
 * before their first actor runs, and the script that draws the charts.
 */
const edges = [
  'actors/start.ts',
  'actors/edge/',
  'actors/threads/',
  'actors/statecharts',
  'actors/machine-charts',
];
const isEdge = (path: string): boolean => edges.some((edge) => path.startsWith(edge));

/** Every way past the ports makes simulation and replay a lie. */
const rules: readonly Rule[] = [
  ...[
    [/\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)/g, 'the clock'],
    [/\bperformance\s*\.\s*(now|timeOrigin)\b|\bprocess\s*\.\s*hrtime\b/g, 'the clock'],
    [/\bMath\s*\.\s*random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/g, 'randomness'],
    [/\b(setTimeout|setInterval|setImmediate)\b|\bnode:timers\b/g, 'timers'],
  ].map(([pattern, what]) => ({
    pattern: pattern as RegExp,
    says: `${what as string} comes from runtime/base/ports.ts only`,
    applies: outsideBase,
  })),
  {
    pattern: /\bawait\b/g,
    says: 'actors never await: a result of another actor arrives as a message',
    applies: (path) => path.startsWith('actors/') && !isEdge(path),
  },
  {
    pattern: /^(?:export\s+)?(?:let|var)\b/gm,
    says: 'no mutable state at the level of a module',
    applies: (path) => path.startsWith('actors/'),
  },
  {
    pattern:
      /^(?:export\s+)?const\s+[\w$]+(?:\s*:[^=;]*)?\s*=\s*new\s+(?:Weak)?(?:Map|Set)\b\s*(?:<[^;]*>)?\(\s*\)/gm,
    says: 'no mutable collection at the level of a module',
    applies: (path) => path.startsWith('actors/'),
  },
  {
    pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\b|^\s*(?:export\s+)?namespace\b/gm,
    says: 'erasable TypeScript only',
    applies: () => true,
  },
  {
    pattern: /\bconsole\s*\./g,
    says: 'lines go through the log or the terminal',
    applies: (path) => !path.startsWith('runtime/base/') && !path.endsWith('.script.ts'),
  },
  {
    pattern: /:\s*any\b|\bas\s+any\b|<any>/g,
    says: 'no any: say the type, or unknown',
    applies: () => true,
  },
];

for (const rule of rules) {
  test(rule.says, () => {
    report(
      shipped
        .filter(({ path }) => rule.applies(path))
        .flatMap(({ path, text }) =>
          [...codeText(text).code.matchAll(rule.pattern)].map(
            (match) =>
              `${path}:${lineAt(text, match.index + 1)}: "${match[0].trim()}": ${rule.says}`,
          ),
        ),
    );
  });
}

test.run();
