/** The editor grammar: its expressions compile and every word of the language gets its colour. */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lexer } from '../../../runtime/loom/syntax/lexer.js';
import {
  builtinTypes,
  contextualWords,
  declarationHeads,
  reservedWords,
} from '../../../runtime/loom/syntax/words.js';
import { DiagnosticSink } from '../../../runtime/loom/diagnostics.js';

interface Rule {
  readonly name?: string;
  readonly include?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly patterns?: readonly Rule[];
  readonly captures?: Readonly<Record<string, { readonly name: string }>>;
}

const grammar = JSON.parse(readFileSync('runtime/loom/loom.tmLanguage.json', 'utf8')) as Rule & {
  readonly scopeName: string;
  readonly repository: Readonly<Record<string, Rule>>;
};

/** The rules in order of trial, includes written out. */
function flatten(rule: Rule): Rule[] {
  if (rule.include !== undefined) {
    const target = grammar.repository[rule.include.slice(1)];
    assert.ok(target !== undefined, `${rule.include} is not in the repository`);
    return flatten(target);
  }
  if (rule.match !== undefined || rule.begin !== undefined) return [rule];
  return (rule.patterns ?? []).flatMap(flatten);
}

const rules = flatten(grammar);
const compiled = new Map<string, RegExp>();
const regex = (source: string): RegExp => {
  let made = compiled.get(source);
  if (made === undefined) compiled.set(source, (made = new RegExp(source, 'dg')));
  made.lastIndex = 0;
  return made;
};

/** The scope of every column of a line: the first rule to match earliest wins, as in editors. */
function scopes(line: string): (string | undefined)[] {
  const result = new Array<string | undefined>(line.length).fill(undefined);
  const paint = (from: number, to: number, name: string | undefined) => result.fill(name, from, to);
  let at = 0;
  while (at < line.length) {
    let best: { rule: Rule; match: RegExpExecArray } | null = null;
    for (const rule of rules) {
      const expression = regex((rule.match ?? rule.begin)!);
      expression.lastIndex = at;
      const match = expression.exec(line);
      if (match !== null && (best === null || match.index < best.match.index))
        best = { rule, match };
    }
    if (best === null) return result;
    const { rule, match } = best;
    let end = match.index + match[0].length;
    if (rule.end !== undefined) end = endOf(rule, line, end);
    paint(match.index, end, rule.name);
    for (const [index, { name }] of Object.entries(rule.captures ?? {})) {
      const span = match.indices?.[Number(index)];
      if (span !== undefined) paint(span[0], span[1], name);
    }
    at = Math.max(end, at + 1);
  }
  return result;
}

function endOf(rule: Rule, line: string, start: number): number {
  let at = start;
  for (;;) {
    const end = regex(rule.end!);
    end.lastIndex = at;
    const found = end.exec(line)!;
    const inner = (rule.patterns ?? []).flatMap((part) => {
      const expression = regex(part.match!);
      expression.lastIndex = at;
      const match = expression.exec(line);
      return match !== null && match.index < found.index ? [match] : [];
    });
    if (inner.length === 0) return found.index + found[0].length;
    const first = inner.reduce((left, right) => (right.index < left.index ? right : left));
    at = first.index + first[0].length;
  }
}

function scopeIn(line: string, word: string): string {
  const all = scopes(line);
  const at = line.search(new RegExp(`(?<![\\w])${word.replace('.', '\\.')}(?![\\w])`));
  assert.ok(at >= 0, `${word} is in ${line}`);
  const scope = all[at] ?? 'nothing';
  for (let index = at; index < at + word.length; index += 1) {
    assert.is(all[index] ?? 'nothing', scope, `all of ${word} has one scope`);
  }
  return scope;
}

test('every expression of the grammar compiles', () => {
  assert.is(grammar.scopeName, 'source.loom');
  const visit = (rule: Rule): void => {
    for (const source of [rule.match, rule.begin, rule.end]) {
      if (source !== undefined) assert.not.throws(() => new RegExp(source));
    }
    rule.patterns?.forEach(visit);
  };
  visit(grammar);
  Object.values(grammar.repository).forEach(visit);
  const used = JSON.stringify(grammar.patterns);
  for (const name of Object.keys(grammar.repository)) assert.ok(used.includes(`#${name}"`), name);
});

/** A line in which each word is a keyword. */
const lines: Readonly<Record<string, string>> = {
  library: 'library a.b',
  use: 'use a.b { c }',
  export: 'func.def export f() { }',
  import: 'func.decl import("m") f()',
  workgroup: 'kernel.def k() workgroup(64) {',
  grid: 'dispatch k(a) grid(4)',
  indirect: 'dispatch k(a) grid indirect(v, 0)',
  step: 'for i in a..b step 2 {',
  unroll: 'for i in 0..4 unroll {',
  parallel: 'parallel i in 0..n {',
  once: 'once {',
  shared: 'shared a : f32[4]',
  private: 'private a : f32[4]',
  workspace: 'workspace zero invocation a : f32[4]',
  zero: 'workspace zero invocation a : f32[4]',
  invocation: 'workspace zero invocation a : f32[4]',
  dispatch: 'dispatch k<4>(a) grid(4)',
  part: '  part',
  out: 'kernel.def k(x: out view<f32>) workgroup(1) {',
  inout: 'kernel.def k(x: inout view<f32>) workgroup(1) {',
  acc: 'kernel.def k(x: acc view<u32>) workgroup(1) {',
  root: 'command.def c(r: root, w: param B) {',
  param: 'command.def c(r: root, w: param B) {',
  func: 'template.def <F: func(f32) -> f32>',
  true: 'let a = true',
  false: 'let a = false',
};

for (const word of [...reservedWords, ...contextualWords]) {
  test(`${word} is highlighted as a keyword`, () => {
    const line = lines[word] ?? `  ${word} x { }`;
    assert.match(scopeIn(line, word), /^(keyword|storage|constant\.language)\./);
  });
}

for (const head of declarationHeads) {
  test(`${head} is highlighted as a declaration`, () => {
    assert.match(scopeIn(`${head} name`, head), /^keyword\.declaration\./);
  });
}

for (const type of builtinTypes) {
  test(`${type} is highlighted as a type`, () => {
    assert.is(scopeIn(`let a : ${type} = b`, type), 'support.type.loom');
  });
}

test('keywords by place are ordinary names elsewhere', () => {
  for (const word of ['part', 'out', 'grid', 'step', 'root', 'zero', 'shared', 'param']) {
    assert.not.match(scopeIn(`  let x = ${word} + 1`, word), /^(keyword|storage)\./);
  }
});

test('literals and comments', () => {
  assert.match(scopeIn('let a = 0x1fu', '0x1fu'), 'numeric.hex');
  assert.match(scopeIn('let a = 12u', '12u'), 'numeric.integer');
  assert.match(scopeIn('let a = 1.5e-3', '1.5e'), 'numeric.float');
  assert.match(scopeIn('for i in 0..n {', '0'), 'numeric.integer');
  assert.match(scopeIn('f("a // \\" b", c)', 'b'), 'string.quoted');
  assert.not.match(scopeIn('f("a // \\" b", c)', 'c'), 'string.quoted');
  assert.match(scopeIn('let a = b // c "d', 'd'), 'comment.line.double-slash');
  assert.match(scopeIn('/// about', 'about'), 'comment.line.documentation');
  assert.match(scopeIn('f(@a.b)', 'a.b'), 'symbol');
});

test('everything but plain names has a scope in every fixture', () => {
  const folder = 'test/runtime/loom/fixtures';
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.loom'))) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    const rows = text.split('\n').map(scopes);
    const tokens = new Lexer(file, text, new DiagnosticSink()).run();
    for (let index = 0; index < tokens.count; index += 1) {
      const kind = tokens.kind[index];
      if (kind === 'name' || kind === 'newline' || kind === 'end') continue;
      const at = tokens.at[index]!;
      const scope = rows[Math.floor(at / 4096) - 1]![(at % 4096) - 1];
      assert.ok(
        scope !== undefined,
        `${tokens.text[index]} at ${Math.floor(at / 4096)} of ${file}`,
      );
    }
  }
});

test.run();
