/**
 * Reads option values of the command line: numbers with bounds, byte sizes with suffixes, seconds.
 * Each refuses with what was given and what it takes; commander prints that with the option's name.
 */
import { InvalidArgumentError } from 'commander';
import { resolve } from 'node:path';

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function wholeNumber({ min, max }: Bounds): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};

/** `1048576`, `512M`, `2GiB`: suffixes are powers of 1024. */
export function byteSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim());
  const bytes = Math.floor(Number(match?.[1]) * (units[match?.[2]?.toLowerCase() ?? ''] ?? 1));
  if (match === null || !Number.isSafeInteger(bytes) || bytes <= 0) {
    throw new InvalidArgumentError(
      'It must be a size: bytes, or with a suffix, as in 512M or 2GiB.',
    );
  }
  return bytes;
}

/** Seconds as text, milliseconds as value. */
export function secondsMs(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0) || seconds > 86_400) {
    throw new InvalidArgumentError('It must be a number of seconds above 0, at most 86400.');
  }
  return seconds * 1000;
}

/** `http://collector:4318`. */
export function httpUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) throw new InvalidArgumentError('It must be a URL, as in http://localhost:4318.');
  return text;
}

/** Collects a repeatable folder option, as absolute paths. */
export function folders(text: string, before: readonly string[]): string[] {
  return [...before, resolve(text)];
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** One size, or several by commas. */
export function byteSizes(text: string): readonly number[] {
  return text.split(',').map(byteSize);
}
