/**
 * Data that npm packages ship as JavaScript: one JSON value behind `export default` or
 * `module.exports =`. It is parsed, never run, so a file with anything else in it is refused.
 */
import type { SourceFolder } from './source-folder.js';

const frame = /^\s*(?:export\s+default|module\.exports\s*=)\s*([^]*?)\s*;?\s*$/;

export function readData(folder: SourceFolder, file: string): unknown {
  const text = folder.text(file);
  const value = frame.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw folder.fault(file, 'JSON, alone or as the only export of a module', reason);
  }
}
