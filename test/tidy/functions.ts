/**
 * Finds functions in blanked-out code (code-text.ts) with their lengths and parameter counts, by
 * braces: a `{` that follows a parameter list, a return type or an arrow opens one.
 */
import { lineAt } from './sources.js';

export interface FunctionSpan {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

const notFunctions = new Set(['if', 'for', 'while', 'switch', 'catch', 'with']);

export function functionsOf(code: string): FunctionSpan[] {
  const found: FunctionSpan[] = [];
  for (let open = code.indexOf('{'); open >= 0; open = code.indexOf('{', open + 1)) {
    const head = headOf(code, open);
    if (head === null) continue;
    const close = matching(code, open);
    found.push({
      name: head.name,
      line: lineAt(code, head.at),
      lines: lineAt(code, close) - lineAt(code, open) + 1,
      parameters: head.parameters,
    });
  }
  return found;
}

interface Head {
  readonly at: number;
  readonly name: string;
  readonly parameters: number;
}

/** What stands before a brace, when it is the head of a function. */
function headOf(code: string, open: number): Head | null {
  const before = code.slice(0, open).trimEnd();
  const body = before.endsWith('=>') ? before.slice(0, -2).trimEnd() : before;
  if (body.endsWith(')')) return headFromList(code, body.length - 1);
  // A return type between the list and the brace: `): Promise<X> {`.
  const typed = /\)\s*:\s*[\w.<>[\]|&\s,'"#]+$/.exec(body.slice(-300));
  if (typed === null) return null;
  return headFromList(code, Math.max(0, body.length - 300) + typed.index);
}

function headFromList(code: string, close: number): Head | null {
  let depth = 0;
  for (let at = close; at >= 0; at -= 1) {
    if (code[at] === ')') depth += 1;
    if (code[at] !== '(') continue;
    depth -= 1;
    if (depth > 0) continue;
    const name = /([\w$#]+)\s*(?:<[^()]*>)?\s*$/.exec(code.slice(Math.max(0, at - 200), at))?.[1];
    if (name !== undefined && notFunctions.has(name)) return null;
    const parameters = countParameters(code.slice(at + 1, close));
    return { at, name: nameOf(code.slice(Math.max(0, at - 200), at), name), parameters };
  }
  return null;
}

/** An arrow function is called by what it is assigned to. */
function nameOf(before: string, name: string | undefined): string {
  const assigned = /([\w$]+)\s*(?::[^=;]*)?=\s*(?:async\s*)?$/.exec(before)?.[1];
  return assigned ?? (name === undefined || name === 'async' ? 'function' : name);
}

function countParameters(list: string): number {
  let depth = 0;
  let count = 0;
  let isOpen = false;
  // An arrow in a parameter's type closes nothing.
  for (const here of list.replaceAll('=>', '  ')) {
    if ('([{<'.includes(here)) depth += 1;
    if (')]}>'.includes(here)) depth -= 1;
    if (here === ',' && depth === 0) isOpen = false;
    else if (here.trim() !== '' && !isOpen) {
      isOpen = true;
      count += 1;
    }
  }
  return count;
}

/** Offset of the bracket that closes the one at `open`; the end where none does. */
export function matching(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length - 1;
}
