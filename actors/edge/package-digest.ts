/**
 * A digest of what a package is made of: its document and the files that the document names, so
 * that a replay can tell whether it plays to the package that was recorded. Large files are told by
 * their size, their ends and some pieces between, because nobody waits for gigabytes to be read.
 */
import { createHash, type Hash } from 'node:crypto';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RegisterBody, StartOptions } from '../../http/serving.js';
import type { PackageLocation } from '../protocol.js';
import { locatePackage } from './package-location.js';

const WHOLE_MAX = 4 * 1024 * 1024;
const PIECE = 64 * 1024;
const PIECES = 16;

/** Of what a registration asks for. */
export async function digestOf(body: RegisterBody, options: StartOptions): Promise<string | null> {
  return packageDigest(locatePackage(body, options));
}

/** Null where a file of it cannot be read. */
export async function packageDigest(location: PackageLocation): Promise<string | null> {
  const { document, base, checkpoint } = location;
  const hash = createHash('sha256').update(JSON.stringify(document));
  try {
    const names = new Set(textsOf(document));
    for (const name of [...names].sort()) await addFile(hash, name, resolve(base, name));
    if (checkpoint !== undefined) {
      const { folder, gguf } = checkpoint;
      const files = gguf === null ? await readdir(folder) : [gguf];
      const known = files.filter((name) => /\.(json|safetensors|gguf)$/i.test(name)).sort();
      for (const name of known) await addFile(hash, name, join(folder, name));
    }
    return hash.digest('hex');
  } catch {
    return null;
  }
}

/** Every text of a document: those that are paths name its files. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

async function addFile(hash: Hash, name: string, path: string): Promise<void> {
  if (name.includes('\0')) return;
  const file = await open(path).catch(() => null);
  if (file === null) return;
  try {
    const { size, isRegular } = await shapeOf(file);
    if (!isRegular) return;
    hash.update(`\n${name} ${size}\n`);
    if (size <= WHOLE_MAX) hash.update(await file.readFile());
    else
      for (let piece = 0; piece <= PIECES; piece += 1) await addPiece(hash, file, { size, piece });
  } finally {
    await file.close();
  }
}

async function shapeOf(file: FileHandle): Promise<{ size: number; isRegular: boolean }> {
  const status = await file.stat();
  return { size: status.size, isRegular: status.isFile() };
}

async function addPiece(
  hash: Hash,
  file: FileHandle,
  { size, piece }: { readonly size: number; readonly piece: number },
): Promise<void> {
  const at = Math.floor(((size - PIECE) * piece) / PIECES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE), 0, PIECE, at);
  hash.update(buffer.subarray(0, bytesRead));
}
