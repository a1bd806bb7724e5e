/**
 * What models/decision must answer, in double precision: shares of byte values modulo 32 in context
 * and question, mean shares of labels or distances on the scale, softmax. The device computes in
 * f32, so rows agree within `decisionBound`.
 */
import { answersOf } from '../../runtime/profiles/decisions.js';
import type { Question } from '../../runtime/profiles/decisions.js';

/** Largest difference of a probability: f32 rounding of logits up to 8. */
export const decisionBound = 1e-6;

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

export function decisionOracle(question: Question): readonly number[] {
  const text = bytes(question.context + question.text);
  const share = (bucket: number): number =>
    text.filter((byte) => byte % 32 === bucket).length / text.length;
  const place = mean(text.map((byte) => byte % 32)) / 31;
  const answers = answersOf(question);
  const logits = answers.map((answer, at) =>
    question.kind === 'score'
      ? -8 * Math.abs(at / (answers.length - 1) - place)
      : 8 * mean(bytes(answer).map((byte) => share(byte % 32))),
  );
  const powers = logits.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
