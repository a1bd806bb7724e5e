/** A relocated copy of the package first-output, with texts of its files changed. */
import * as assert from 'uvu/assert';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from './running-server.js';

export interface Change {
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

export interface PackageCopy {
  readonly folder: string;
  /** Changes a file of the copy. */
  change(change: Change): void;
  remove(): void;
}

export function copyPackage(...changes: readonly Change[]): PackageCopy {
  const base = mkdtempSync(join(tmpdir(), 'loom-package-'));
  const folder = join(base, 'copy');
  cpSync(packageFolder('first-output'), folder, { recursive: true });
  const change = ({ file, from, to }: Change): void => {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replace(from, to);
    assert.is.not(changed, text, 'the change applies');
    writeFileSync(path, changed);
  };
  changes.forEach(change);
  return { folder, change, remove: () => rmSync(base, { recursive: true }) };
}

/** The same package under another id. */
export const withId = (id: string): Change => ({
  file: 'model.json',
  from: /"id": *"first-output"/,
  to: `"id": "${id}"`,
});
