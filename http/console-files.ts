/**
 * The files of the console: its page, its compiled scripts, its styles, and the layout library that
 * it loads. Found once, read at each request; nothing outside those folders can be named.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
};

/** Names in folders of their own, without a dot but before the ending. */
const shape = /^(?:[\w-]+\/)*[\w.-]+\.(\w+)$/;

export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

export class ConsoleFiles {
  readonly #folders: readonly string[];

  constructor(folders: readonly string[] = consoleFolders()) {
    this.#folders = folders;
  }

  /** Null when the console has no such file. */
  async read(name: string): Promise<ConsoleFile | null> {
    const type = types[shape.exec(name)?.[1] ?? ''];
    if (type === undefined || name.includes('..')) return null;
    for (const folder of this.#folders) {
      const bytes = await readFile(join(folder, name)).catch(() => null);
      if (bytes !== null) return { type, bytes };
    }
    return null;
  }
}

/** What was compiled, then the sources that are served as they are, then the library. */
function consoleFolders(): string[] {
  const folders = [join(import.meta.dirname, 'console')];
  let root = import.meta.dirname;
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  folders.push(join(root, 'http/console'));
  const library = layoutLibrary();
  return library === null ? folders : [...folders, library];
}

function layoutLibrary(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js'));
  } catch {
    return null;
  }
}
