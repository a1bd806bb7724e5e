/** Sentences in 48 languages: `sentences.txt` has a language's code, then a sentence a line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

/** By ISO 639-3 code, in the order of the file. */
export function languageSentences(): ReadonlyMap<string, readonly string[]> {
  const languages = new Map<string, string[]>();
  let sentences: string[] = [];
  const text = readFileSync(join(repositoryRoot, 'test/models/sentences.txt'), 'utf8');
  for (const line of text.trimEnd().split('\n')) {
    if (/^[a-z]{3}$/.test(line)) languages.set(line, (sentences = []));
    else sentences.push(line);
  }
  return languages;
}
