/** A type of the typed tree in the language's own spelling, for messages: `list<i64>`, `f32x4`. */
import type { Type } from './typed.js';

export function typeText(type: Type): string {
  switch (type.kind) {
    case 'scalar':
    case 'handle':
      return type.name;
    case 'vector':
    case 'bytes':
      return `${type.elem}x${type.lanes}`;
    case 'list':
    case 'cell':
      return `${type.kind}<${typeText(type.elem)}>`;
    case 'record':
      return type.record.name;
    case 'array':
      return `${typeText(type.elem)}[${type.count}]`;
    default:
      return type.kind;
  }
}
