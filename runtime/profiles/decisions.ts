/**
 * The decisions profile of the finite contract: a question gives one row of f32, the probability of
 * each of its answers in the order asked.
 *
 *   record 0: the question, of kind text
 *   record 1: what it is about, of kind text; empty when the caller gave nothing
 *   record 2: its kind as a number: 1 choice, 2 yes or no, 3 score
 *   record 3: the number of answers, n
 *   record 4: the value of the first answer of a score, a number; 0 for the other kinds
 *   records 5 to 4 + n: the answers, of kind text. A choice has the caller's labels, yes or no has
 *     `yes` and `no`, a score has its whole numbers in ascending order
 *
 * A row that is no distribution is the package's fault, and its own question's alone.
 */
import { finiteEntries } from './finite.js';
import type { Profile } from './profile.js';
import type { Frame, PacketRecord } from './request-packet.js';

/** How far from 1 the sum of a distribution may be, added up in double precision. */
const SUM_TOLERANCE = 1e-6;

export const decisions: Profile = {
  name: 'decisions',
  contract: 'finite',
  route: '/v1/decisions',
  acceptable: [],
  entries: finiteEntries,
  rowProblem: distributionProblem,
};

interface Asked {
  readonly text: string;
  /** What the question is about; may be empty. */
  readonly context: string;
}

export type Question =
  | (Asked & { readonly kind: 'choice'; readonly labels: readonly string[] })
  | (Asked & { readonly kind: 'yes_no' })
  | (Asked & { readonly kind: 'score'; readonly min: number; readonly max: number });

export const questionKind = { choice: 1, yes_no: 2, score: 3 } as const;

/** One request: each question is a member. */
export interface DecisionsBody {
  readonly profile: 'decisions';
  readonly questions: readonly Question[];
}

/** The answers of a question, in the order of its row. */
export function answersOf(question: Question): readonly string[] {
  if (question.kind === 'choice') return question.labels;
  if (question.kind === 'yes_no') return ['yes', 'no'];
  const { min, max } = question;
  return Array.from({ length: max - min + 1 }, (_, index) => String(min + index));
}

export function frameQuestion({ questions }: DecisionsBody, index: number): Frame {
  const question = questions[index]!;
  const answers = answersOf(question);
  const number = (value: number): PacketRecord => ({ kind: 'number', number: value });
  const text = (value: string): PacketRecord => ({ kind: 'text', text: value });
  const records = [
    text(question.text),
    text(question.context),
    number(questionKind[question.kind]),
    number(answers.length),
    number(question.kind === 'score' ? question.min : 0),
    ...answers.map(text),
  ];
  return { records, values: answers.length };
}

/** Why a row of finite values is no distribution; null when it is one. */
export function distributionProblem(row: Uint8Array): string | null {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  let sum = 0;
  for (let at = 0; at < row.length; at += 4) {
    const value = view.getFloat32(at, true);
    if (value < 0) return `the probability ${value} for answer ${at / 4}; none may be negative`;
    sum += value;
  }
  if (Math.abs(sum - 1) <= SUM_TOLERANCE) return null;
  return `probabilities that add up to ${sum}; 1 within ${SUM_TOLERANCE} expected`;
}
