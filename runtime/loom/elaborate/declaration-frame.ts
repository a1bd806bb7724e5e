/**
 * The frame in which a declaration's own expressions are constants: sizes of layouts and banks,
 * values of `const.def` and `config.decl`, workgroup sizes, template arguments.
 */
import type { CatalogFile } from './catalog.js';
import { Body, Frame } from './frame.js';
import type { Session } from './session.js';
import type { TemplateBindings } from './value.js';

const noBindings: TemplateBindings = new Map();

export function constantFrame(
  session: Session,
  file: CatalogFile,
  bindings: TemplateBindings = noBindings,
): Frame {
  return new Frame({
    session,
    file,
    bindings,
    world: 'const',
    body: new Body(),
    narrow: false,
    returns: { kind: 'none' },
  });
}
