/**
 * The readiness probe: case 0 of every serving package, through the real path; of a package with
 * retained rows, its first token. An answer is kept for a moment, so that probes cannot load the
 * server.
 */
import type { z } from 'zod';
import type { CallOptions, FiniteCall, FiniteResult } from '../../http/serving.js';
import type { TextServing } from '../../http/text-serving.js';
import type { Clock } from '../../runtime/base/ports.js';
import { caseSchema, errorLine } from '../../runtime/packages/check-case.js';
import { checkRequest, readChecked } from '../../runtime/packages/check-request.js';
import { textCaseSchema } from '../../runtime/packages/check-text-case.js';
import { checkTextRequest } from '../../runtime/packages/check-text-request.js';
import { DiskFiles } from '../../runtime/packages/disk-files.js';
import { findProfile } from '../../runtime/profiles/profiles.js';
import type { DeploymentSummary } from '../model/deployment.js';
import type { PackageLocation } from '../protocol.js';
import { generateTurn, type TurnCall } from './text-turn.js';

const DEADLINE_MS = 4_000;
const FRESH_MS = 1_000;

export interface Inference {
  infer(call: FiniteCall, options: CallOptions): Promise<FiniteResult>;
  readonly text: Pick<TextServing, 'generate'>;
}

/** Asks the first case that expects an answer. */
type Probe = (call: TurnCall) => Promise<unknown>;

export class Canary {
  readonly #inference: Inference;
  readonly #clock: Clock;
  #last: { readonly atMs: number; readonly reasons: Promise<string[]> } | null = null;

  constructor(inference: Inference, clock: Clock) {
    this.#inference = inference;
    this.#clock = clock;
  }

  /** Why the server is not ready, one sentence a deployment. */
  run(deployments: readonly DeploymentSummary[]): Promise<string[]> {
    const now = this.#clock.now();
    if (this.#last === null || now - this.#last.atMs > FRESH_MS) {
      this.#last = { atMs: now, reasons: this.#probeAll(deployments) };
    }
    return this.#last.reasons;
  }

  async #probeAll(deployments: readonly DeploymentSummary[]): Promise<string[]> {
    const serving = deployments.filter((one) => one.prepared !== null && one.location !== null);
    const reasons = await Promise.all(serving.map((one) => this.#probe(one)));
    return reasons.filter((reason) => reason !== null);
  }

  async #probe({ id, location }: DeploymentSummary): Promise<string | null> {
    const isText = findProfile(location!.document.profile).contract === 'text';
    const { signal } = new AbortController();
    const options = { signal, deadlineMs: this.#clock.now() + DEADLINE_MS };
    try {
      const ask = isText ? this.#firstTurn(location!) : this.#firstRequest(location!);
      await ask?.({ requestId: `canary-${id}`, model: id, ...options });
      return null;
    } catch (error) {
      return `model ${id} does not answer its first case: ${errorLine(error)}`;
    }
  }

  /** Null when the package has no such case. */
  #firstRequest(location: PackageLocation): Probe | null {
    const found = firstCase(location, caseSchema);
    if (found === null) return null;
    const body = checkRequest(found.request);
    return ({ requestId, model, ...options }) =>
      this.#inference.infer({ requestId, model, body }, options);
  }

  #firstTurn(location: PackageLocation): Probe | null {
    const found = firstCase(location, textCaseSchema);
    if (found === null) return null;
    const turn = { ...checkTextRequest(found.request), maxTokens: 1 };
    return (call) => generateTurn(this.#inference.text, turn, call);
  }
}

function firstCase<Case extends { readonly expect: object }>(
  location: PackageLocation,
  schema: z.ZodType<Case>,
): Case | null {
  const files = new DiskFiles(location.base, location.packageRoots);
  for (const name of files.list('cases')) {
    if (!name.endsWith('.json')) continue;
    const found = readChecked(files, `cases/${name}`, schema);
    if (!('error' in found.expect)) return found;
  }
  return null;
}
