/**
 * Packages of the repository that a simulation serves instead of its own: what is asked of them,
 * and what the answer must be by their oracles.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  FiniteAnswer,
  FiniteCall,
  PackageLocation,
  TextAnswer,
} from '../../actors/protocol.js';
import type { TextBody } from '../../http/text-serving.js';
import { parseModelDocument } from '../../runtime/packages/model-document.js';
import type { Question } from '../../runtime/profiles/decisions.js';
import { decisionBound, decisionOracle } from '../oracles/decision.js';
import { sequenceOracle } from '../oracles/sequence.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { DiskPackages } from './disk-packages.js';

/** What one call asks, and why an answer to it is wrong; null: it is right. */
export interface Asked {
  readonly payload:
    Pick<FiniteCall, 'body'> | { readonly text: { op: 'generate'; body: TextBody; stream: null } };
  fault(value: unknown): string | null;
}

export interface Guest {
  /** Id and folder of its package. */
  readonly model: string;
  /** `texts` is chance, in letters. */
  ask(texts: readonly string[]): Asked;
}

function questionOf(text: string): Question {
  const asked = { text: `is it ${text}?`, context: text.repeat(text.length % 4) };
  if (text.length % 3 === 0) return { kind: 'choice', ...asked, labels: ['dog', 'cat', text] };
  if (text.length % 3 === 1) return { kind: 'yes_no', ...asked };
  return { kind: 'score', ...asked, min: 1, max: 2 + text.length };
}

function askQuestions(texts: readonly string[]): Asked {
  const questions = texts.map(questionOf);
  return {
    payload: { body: { profile: 'decisions', questions } },
    fault(value) {
      const rows = (value as FiniteAnswer).rows.map((bytes) => [...floats(bytes)]);
      const wrong = questions.findIndex((question, i) => {
        const want = decisionOracle(question);
        const row = rows[i] ?? [];
        const isNear = want.every((one, k) => Math.abs(one - row[k]!) <= decisionBound);
        return row.length !== want.length || !isNear;
      });
      return wrong < 0 ? null : `question ${wrong} is answered ${rows[wrong]?.join(' ')}`;
    },
  };
}

function askSequence(texts: readonly string[]): Asked {
  const ids = [...texts.join('')].map((letter, i) => (letter.charCodeAt(0) * 7 + i) % 1024);
  const body: TextBody = {
    profile: 'sequence',
    prompt: { kind: 'tokens', ids },
    session: null,
    maxTokens: 0,
    stop: [],
    sampling: {},
    grammar: null,
    hasTools: false,
  };
  return {
    payload: { text: { op: 'generate', body, stream: null } },
    fault(value) {
      const { captured } = value as TextAnswer;
      const got = [...floats(captured ?? new Uint8Array(0))];
      const want = [...sequenceOracle(ids)];
      const isEqual = got.length === want.length && got.every((one, i) => one === want[i]);
      return isEqual ? null : `${got.length} numbers, not those of ${want.length / 4} ids`;
    },
  };
}

const floats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);

export const guests = {
  decisions: { model: 'decision', ask: askQuestions },
  sequences: { model: 'sequence', ask: askSequence },
} as const satisfies Readonly<Record<string, Guest>>;

export type GuestName = keyof typeof guests;

/** Of the folders of the repository, whatever the version. */
export class GuestPackages extends DiskPackages {
  readonly #locations = new Map<string, PackageLocation>();

  override location(id: string): PackageLocation {
    let found = this.#locations.get(id);
    if (found === undefined) {
      const base = join(repositoryRoot, 'models', id);
      const path = join(base, 'model.json');
      const document = parseModelDocument(readFileSync(path), path);
      found = { id, base, document, packageRoots: [join(repositoryRoot, 'models')] };
      this.#locations.set(id, found);
    }
    return found;
  }
}
