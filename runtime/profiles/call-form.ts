/**
 * How a package writes calls of functions, as its entry `call_form` says it: one JSON object
 * `{"begin", "middle", "end", "between"?, "one_line"?, "marks"?, "leads"?}`, checked before it is
 * used.
 */
import { invalidReturn } from './record-table.js';
import type { CallForm } from './text.js';

const entry = 'call_form';
const bytesMax = 4096;
const marksMax = 16;

export function checkCallForm(bytes: Uint8Array): CallForm {
  const form = objectIn(bytes);
  const between = form['between'] ?? null;
  const isOneLine = form['one_line'] ?? false;
  if (between !== null && typeof between !== 'string') throw broken('"between" is no text');
  if (typeof isOneLine !== 'boolean') throw broken('"one_line" is neither true nor false');
  const [begin, middle, end] = ['begin', 'middle', 'end'].map((part) => {
    const text = form[part];
    if (typeof text === 'string') return text;
    throw broken(`"${part}" is no text`);
  }) as [string, string, string];
  if (begin + middle === '') throw broken('nothing tells a call from text');
  const [marks, leads] = [textsOf(form, 'marks'), textsOf(form, 'leads')];
  return { begin, middle, end, between, isOneLine, marks, leads };
}

function textsOf(form: Readonly<Record<string, unknown>>, part: string): readonly string[] {
  const texts = form[part] ?? [];
  const isList = Array.isArray(texts) && texts.length <= marksMax;
  if (isList && texts.every((text) => typeof text === 'string' && text !== '')) return texts;
  throw broken(`"${part}" is no list of at most ${marksMax} texts`);
}

function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length > bytesMax) throw broken(`${bytes.length} bytes; at most ${bytesMax} are taken`);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Told below: what it is instead does not matter.
  }
  throw broken(`${bytes.length} bytes that are no JSON object`);
}

const broken = (what: string) => invalidReturn(entry, what);
