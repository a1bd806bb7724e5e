/**
 * What the texts of a tree must look like, by the field that holds them. The parser keeps these
 * rules by construction; the bytecode reader asks here.
 */

import { syntaxLimits } from './limits.js';
import { isIdentifier, isPath } from './words.js';

export type TextRule = 'name' | 'path' | 'optionalPath' | 'text' | 'doc' | 'int' | 'float';

const intForm = /^(0|[1-9][0-9]{0,18})$/;
const floatForm = /^[0-9]+(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)$/;

/** Null if `text` may stand there; else what is wrong, to follow the text in a message. */
export function textFault(rule: TextRule, text: string): string | null {
  switch (rule) {
    case 'name':
      return isIdentifier(text) ? null : 'where a name stands';
    case 'path':
      return isPath(text) ? null : 'where a name stands';
    case 'optionalPath':
      return text === '' || isPath(text) ? null : 'where a name stands';
    case 'int':
      return intForm.test(text) && BigInt(text) <= syntaxLimits.intMax ? null : 'as an integer';
    case 'float':
      if (text.length > syntaxLimits.numberChars) return 'as a float';
      return floatForm.test(text) ? null : 'as a float';
    case 'doc':
      return text.split('\n').every((line) => line === line.trimEnd()) ? null : 'as documentation';
    case 'text':
      return null;
  }
}
