/**
 * What a dotted path denotes: a local, a template parameter, a declaration of the catalog, or a
 * built-in (`target.simt`, `workgroup.x`), and then members of it. Unresolved paths are errors with
 * the nearest known name.
 */
import type { At } from '../tree.js';
import { I32 } from './types.js';
import type { Declaration } from './catalog.js';
import { nearestName, placeOf } from './catalog.js';
import { builtinConstant, constantOf } from './constants.js';
import type { Frame } from './frame.js';
import { layoutOf } from './layouts.js';
import { member } from './members.js';
import { Poisoned } from './problem.js';
import { builtinTerms, elementTerm } from './types.js';
import type { TemplateValue, Value } from './value.js';

export function resolvePath(frame: Frame, path: string, at: At): Value {
  const found = findPath(frame, path, at);
  if (found !== null) return found;
  throw unresolved(frame, path, at);
}

export function unresolved(frame: Frame, path: string, at: At) {
  const hidden = hiddenIn(frame, path);
  if (hidden !== null && hidden.file !== frame.file) {
    const related = [placeOf(hidden, 'it is here; `export` and `use` make it visible')];
    return frame.problem(at, `'${path}' is not visible in this file`, undefined, { related });
  }
  if (path.startsWith('target.')) {
    const near = nearestName(
      path,
      Object.keys(frame.session.configuration.target).map((key) => `target.${key}`),
    );
    return frame.problem(
      at,
      `there is no fact '${path}'`,
      near === null ? undefined : `did you mean '${near}'?`,
    );
  }
  const near = frame.session.catalog.nearest(frame.file, path);
  const hint = near === null ? undefined : `did you mean '${near}'?`;
  return frame.problem(at, `'${path}' is not defined`, hint);
}

/** By full name, or in a library that the file uses. */
function hiddenIn(frame: Frame, path: string): Declaration | null {
  const { catalog } = frame.session;
  for (const use of ['', ...frame.file.module.uses.map((entry) => `${entry.path}.`)]) {
    const found = catalog.find(use + path) ?? catalog.find(use + path.split('.')[0]);
    if (found !== null) return found;
  }
  return null;
}

/** Null where the first segment denotes nothing. */
export function findPath(frame: Frame, path: string, at: At): Value | null {
  const builtin = builtinPath(frame, path, at);
  const segments = path.split('.');
  const first = segments[0] as string;
  const binding = frame.scope.find(first);
  if (binding !== null) {
    if (binding.value.kind === 'poison') throw new Poisoned();
    return members(frame, binding.value, segments.slice(1), at);
  }
  const bound = frame.bindings.get(first);
  if (bound !== undefined) return members(frame, templateValue(bound), segments.slice(1), at);
  const found = frame.session.catalog.lookup(frame.file, path);
  if (found !== null) return members(frame, declared(frame, found.declaration), found.rest, at);
  if (builtin !== null) return builtin;
  const term = builtinTerms.get(path);
  return term === undefined ? null : { kind: 'term', term };
}

function members(frame: Frame, value: Value, names: readonly string[], at: At): Value {
  let current = value;
  for (const name of names) current = member(frame, current, name, at);
  return current;
}

function templateValue(bound: TemplateValue): Value {
  switch (bound.kind) {
    case 'unknown':
      throw new Poisoned();
    case 'const':
      return bound.value;
    case 'type':
      return { kind: 'term', term: bound.term };
    case 'func':
      return { kind: 'func', ref: bound.ref };
    case 'symbol':
      return bound;
  }
}

function declared(frame: Frame, declaration: Declaration): Value {
  switch (declaration.decl.kind) {
    case 'const':
    case 'config':
      return constantOf(frame.session, declaration);
    case 'layout': {
      const layout = layoutOf(frame.session, declaration);
      return { kind: 'term', term: elementTerm({ kind: 'layout', layout }) };
    }
    default:
      return { kind: 'declaration', declaration };
  }
}

function builtinPath(frame: Frame, path: string, at: At): Value | null {
  const axis = ['workgroup.x', 'workgroup.y', 'workgroup.z'].indexOf(path);
  if (axis >= 0 && frame.world === 'device' && frame.scope.find('workgroup') === null) {
    const expr = {
      op: 'workgroup',
      type: I32,
      site: frame.site(at),
      axis: axis as 0 | 1 | 2,
    } as const;
    return { kind: 'expr', expr, rank: 'uniform' };
  }
  return frame.scope.find(path.split('.')[0] as string) === null
    ? builtinConstant(frame, path)
    : null;
}
