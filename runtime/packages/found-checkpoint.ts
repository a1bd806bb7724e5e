/**
 * A checkpoint as its maker published it: a folder with `config.json` and safetensors, or one GGUF
 * file. It has no `model.json`, so a package of the server's serves it, and its files stay as they
 * are and where they are.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DiskFiles } from './disk-files.js';

/** Plain data: crosses threads with the place of a package. */
export interface FoundCheckpoint {
  /** Absolute folder that the checkpoint's references start from. */
  readonly folder: string;
  /** Name of the GGUF file in the folder; null for `config.json` with safetensors. */
  readonly gguf: string | null;
}

/** The checkpoint at an absolute path; null where there is a `model.json`, or nothing known. */
export function findCheckpoint(path: string): FoundCheckpoint | null {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isFile() && /\.gguf$/i.test(path)) {
    return { folder: dirname(path), gguf: basename(path) };
  }
  const isFound =
    status?.isDirectory() &&
    !existsSync(join(path, 'model.json')) &&
    existsSync(join(path, 'config.json'));
  return isFound ? { folder: path, gguf: null } : null;
}

interface Roots {
  readonly packageRoots: readonly string[];
  readonly parameterRoots?: readonly string[];
}

/** The operator's roots hold for it as for a package, and it may lie in a parameter root. */
export function openCheckpointFolder({ folder }: FoundCheckpoint, roots: Roots): DiskFiles {
  const { packageRoots, parameterRoots = [] } = roots;
  const around = packageRoots.length === 0 ? [linkedRoot(folder)] : packageRoots;
  return new DiskFiles(folder, [...around, ...parameterRoots], parameterRoots);
}

/**
 * The folder around the checkpoint's. Download caches keep a folder of links, `snapshots/REVISION`,
 * to files beside `snapshots`: there it is the folder above that.
 */
function linkedRoot(folder: string): string {
  const around = dirname(folder);
  return basename(around) === 'snapshots' ? dirname(around) : around;
}
