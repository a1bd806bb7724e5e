/**
 * Questions as JSON has them, for HTTP and for the cases of a package:
 *
 *   { "kind": "choice", "text": "…", "context": "…"?, "labels": ["…", …] }
 *   { "kind": "yes_no", "text": "…", "context": "…"? }
 *   { "kind": "score", "text": "…", "context": "…"?, "min": n, "max": n }
 *
 * What is wrong is told with the path of the field (`questions[2].labels[1]`), also as `param`.
 */
import { StatusError } from '../base/errors.js';
import type { Question } from './decisions.js';

/** Answers of one question: a row, and as many records of the packet. */
export const ANSWERS_MAX = 1024;

/** With the `u` flag only surrogates without a partner match. */
const loneSurrogate = /\p{Surrogate}/u;

type Fields = Readonly<Record<string, unknown>>;

/** `shared` is the context of questions that have none of their own. */
export function readQuestion(value: unknown, param: string, shared: string): Question {
  const fields = fieldsOf(value, param);
  const asked = {
    text: readText(fields['text'], `${param}.text`),
    context: readContext(fields['context'], `${param}.context`) ?? shared,
  };
  const { kind } = fields;
  if (kind === 'choice') return { kind, ...asked, labels: readLabels(fields['labels'], param) };
  if (fields['labels'] !== undefined) {
    throw wrong(`${param}.labels`, 'is for questions of the kind "choice"');
  }
  if (kind === 'yes_no') return { kind, ...asked };
  if (kind === 'score') return { kind, ...asked, ...readScale(fields, param) };
  throw wrong(`${param}.kind`, `must be "choice", "yes_no" or "score", not ${shown(kind)}`);
}

/** A context may be empty, which is as good as none. */
export function readContext(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  return value === '' ? '' : readText(value, param);
}

function fieldsOf(value: unknown, param: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrong(param, `must be an object, not ${shown(value)}`);
}

function readText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw wrong(param, `must be a string, not ${shown(value)}`);
  if (value.length === 0) throw wrong(param, 'must not be empty');
  if (loneSurrogate.test(value)) {
    throw wrong(param, 'holds a lone surrogate (\\ud800 to \\udfff), which is no character');
  }
  return value;
}

function readLabels(value: unknown, question: string): readonly string[] {
  const param = `${question}.labels`;
  if (!Array.isArray(value)) throw wrong(param, `must be an array of strings, not ${shown(value)}`);
  if (value.length === 0) throw wrong(param, 'must not be empty: a choice needs labels');
  checkAnswers(value.length, param);
  const places = new Map<string, number>();
  return value.map((element: unknown, index) => {
    const label = readText(element, `${param}[${index}]`);
    const earlier = places.get(label);
    if (earlier !== undefined) {
      throw wrong(`${param}[${index}]`, `"${label}" is label ${earlier} already`);
    }
    places.set(label, index);
    return label;
  });
}

function readScale(fields: Fields, question: string): { min: number; max: number } {
  const whole = (name: 'min' | 'max'): number => {
    const value = fields[name];
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    const what = typeof value === 'number' ? String(value) : shown(value);
    throw wrong(`${question}.${name}`, `must be a whole number, not ${what}`);
  };
  const min = whole('min');
  const max = whole('max');
  if (min >= max)
    throw wrong(`${question}.max`, `is ${max}; it must be above min, which is ${min}`);
  checkAnswers(max - min + 1, `${question}.max`);
  return { min, max };
}

function checkAnswers(count: number, param: string): void {
  if (count <= ANSWERS_MAX) return;
  const advice = 'ask several questions about parts of them';
  throw wrong(param, `makes ${count} answers; a question has at most ${ANSWERS_MAX}: ${advice}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function wrong(param: string, message: string): StatusError {
  return new StatusError('invalidArgument', `${param}: ${message}`, { param });
}
