/**
 * The readiness probe: case 0 of every serving package, through the real path. An answer is kept
 * for a moment, so that probes cannot load the server; a case that expects values is compared.
 */
import type { CallOptions, FiniteCall, FiniteResult } from '../../http/serving.js';
import type { Clock } from '../../runtime/base/ports.js';
import { caseSchema, errorLine } from '../../runtime/packages/check-case.js';
import { checkRequest, readChecked } from '../../runtime/packages/check-request.js';
import { DiskFiles } from '../../runtime/packages/disk-files.js';
import type { DeploymentSummary } from '../model/deployment.js';
import type { PackageLocation } from '../protocol.js';

const DEADLINE_MS = 4_000;
const FRESH_MS = 1_000;

export interface Inference {
  infer(call: FiniteCall, options: CallOptions): Promise<FiniteResult>;
}

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
    const body = firstRequest(location!);
    if (body === null) return null;
    const call = { requestId: `canary-${id}`, model: id, body };
    const { signal } = new AbortController();
    try {
      await this.#inference.infer(call, { signal, deadlineMs: this.#clock.now() + DEADLINE_MS });
      return null;
    } catch (error) {
      return `model ${id} does not answer its first case: ${errorLine(error)}`;
    }
  }
}

/** The request of the package's first case that expects an answer; null when it has none. */
function firstRequest(location: PackageLocation): ReturnType<typeof checkRequest> | null {
  const files = new DiskFiles(location.base, location.packageRoots);
  for (const name of files.list('cases')) {
    if (!name.endsWith('.json')) continue;
    const found = readChecked(files, `cases/${name}`, caseSchema);
    if (!('error' in found.expect)) return checkRequest(found.request);
  }
  return null;
}
