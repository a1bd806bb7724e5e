/**
 * Syntax tree to canonical text. `parse(print(m))` is `m` again but for positions, so printing is a
 * fixpoint; `//` comments are gone, `///` stay. Lines keep to 100 columns where a break is simple.
 */

import type { Decl, Field, Module, Param, Use } from '../tree.js';
import { quote } from './lex-string.js';
import { flatList, layout, lineWidth, printResults, printType } from './print-expressions.js';
import { printBlock } from './print-statements.js';

/** Kinds that stand line under line. */
const compact: ReadonlySet<Decl['kind']> = new Set(['config', 'const', 'import']);

/** Declarations apart by a blank line, but for runs of the compact kinds without documentation. */
export function print(module: Module): string {
  const groups: string[] = [];
  if (module.library !== '') groups.push(`library ${module.library}\n`);
  if (module.uses.length > 0) groups.push(module.uses.map(printUse).join(''));
  let previous: Decl | null = null;
  for (const decl of module.decls) {
    const text = `${printDecl(decl)}\n`;
    const joins = previous !== null && compact.has(decl.kind) && previous.kind === decl.kind;
    if (joins && decl.doc === '' && decl.template.length === 0) {
      groups.push(groups.pop()! + text);
    } else groups.push(text);
    previous = decl;
  }
  return groups.join('\n');
}

/** Ends its line, unlike the others: uses stand line under line. */
function printUse(use: Use): string {
  if (use.names === null) return `use ${use.path}\n`;
  const line = `use ${use.path} { ${use.names.join(', ')} }\n`;
  if (line.length <= lineWidth + 1) return line;
  return `use ${use.path} {\n${use.names.map((name) => `  ${name},\n`).join('')}}\n`;
}

function printDecl(decl: Decl): string {
  const doc = decl.doc === '' ? '' : decl.doc.split('\n').map(printDocLine).join('');
  return doc + printTemplate(decl) + printBody(decl);
}

const printDocLine = (line: string): string => (line === '' ? '///\n' : `/// ${line}\n`);

/** The line before the declaration, or nothing. */
function printTemplate(decl: Decl): string {
  if (decl.template.length === 0) return '';
  const params = decl.template.map(
    ({ name, constraint }) => `${name}: ${constraint.map(printType).join(' | ')}`,
  );
  const line = `template.def <${params.join(', ')}>\n`;
  return line.length <= lineWidth + 1 ? line : `template.def <${params.join(',\n  ')}>\n`;
}

function printBody(decl: Decl): string {
  const name = `${decl.exported ? 'export ' : ''}${decl.name}`;
  switch (decl.kind) {
    case 'config':
      return withValue(`config.decl ${name} : ${printType(decl.type)} = `, decl.value);
    case 'const': {
      const type = decl.type === null ? '' : ` : ${printType(decl.type)}`;
      return withValue(`const.def ${name}${type} = `, decl.value);
    }
    case 'record':
    case 'layout':
    case 'bank':
      return printFields(`${decl.kind}.def ${name}`, decl.fields);
    case 'import': {
      const exported = decl.exported ? 'export ' : '';
      const module = quote(decl.module);
      const start = `func.decl ${exported}import(${module}) ${decl.name}`;
      return printSignature(start, decl.params, printResults(decl.results));
    }
    case 'func': {
      const results = `${printResults(decl.results)} `;
      return printSignature(`func.def ${name}`, decl.params, results) + printBlock(decl.body, 0);
    }
    case 'kernel': {
      const grid = decl.grid.length === 0 ? '' : ` grid${flatList(decl.grid)}`;
      const tail = ` workgroup${flatList([decl.lanes])}${grid} `;
      return printSignature(`kernel.def ${name}`, decl.params, tail) + printBlock(decl.body, 0);
    }
    case 'command':
      return printSignature(`command.def ${name}`, decl.params, ' ') + printBlock(decl.body, 0);
    case 'check':
      return `check.def ${name} ${printBlock(decl.body, 0)}`;
  }
}

const withValue = (start: string, value: Parameters<typeof layout>[0]): string =>
  start + layout(value, { indent: 0, column: start.length, tail: 0 });

/** In one line if it fits, else a field a line, where the newline is the separator. */
function printFields(start: string, fields: readonly Field[]): string {
  if (fields.length === 0) return `${start} {}`;
  const items = fields.map((field) => `${field.name}: ${printType(field.type)}`);
  const line = `${start} { ${items.join(', ')} }`;
  if (line.length <= lineWidth) return line;
  return `${start} {\n${items.map((item) => `  ${item}\n`).join('')}}`;
}

/** `start(params)tail`, one parameter a line where it is too wide (two columns for ` {`). */
function printSignature(start: string, params: readonly Param[], tail: string): string {
  const items = params.map(printParam);
  const line = `${start}(${items.join(', ')})${tail}`;
  if (line.length + 1 <= lineWidth || items.length === 0) return line;
  return `${start}(\n${items.map((item) => `  ${item}`).join(',\n')}\n)${tail}`;
}

function printParam(param: Param): string {
  const mode = param.mode === '' ? [] : [param.mode];
  const type = param.type === null ? [] : [printType(param.type)];
  return `${param.name}: ${[...mode, ...type].join(' ')}`;
}
