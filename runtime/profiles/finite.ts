/**
 * The finite contract that embeddings and decisions share: one row of f32 for each member of a
 * request. README.md in this folder has the contract for package authors; this file is its types
 * and its checks.
 *
 *   prepare(asset_root: string, options: ref) -> (batch_units i64, upload_bytes i64,
 *     output_bytes i64, result_bytes i64, tokenizer string, source_name string, state ref)
 *   prepare_request(state: ref, input: buffer) -> (prepared buffer, units i64, tag i64)
 *   prepare_batch(state: ref, stage_tags: buffer, ranges: buffer, prepared: buffer)
 *     -> (stage i64, upload buffer, plan buffer)
 *   run(stage: i64, input: hal.buffer, output: hal.buffer)
 *
 * Every value that a program returns passes one of the checks below before it is used, and every
 * error names the entry at fault.
 */
import { StatusError } from '../base/errors.js';
import type { EntrySignature } from './profile.js';
import { exactNumber, invalidReturn, tableBytes } from './record-table.js';
import { parseResultPlan } from './result-plan.js';
import type { ResultPlan } from './result-plan.js';

/** The entries of every finite profile: they differ in the records of a request and in its rows. */
export const finiteEntries: readonly EntrySignature[] = [
  {
    program: 'prepare',
    name: 'prepare',
    params: ['string', 'ref'],
    results: ['i64', 'i64', 'i64', 'i64', 'string', 'string', 'ref'],
  },
  {
    program: 'control',
    name: 'prepare_request',
    params: ['ref', 'buffer'],
    results: ['buffer', 'i64', 'i64'],
  },
  {
    program: 'control',
    name: 'prepare_batch',
    params: ['ref', 'buffer', 'buffer', 'buffer'],
    results: ['i64', 'buffer', 'buffer'],
  },
  {
    program: 'control',
    name: 'run',
    params: ['i64', 'hal.buffer', 'hal.buffer'],
    results: [],
  },
];

/** What `prepare` declared, checked. Bytes, except the units. */
export interface FiniteCapacities {
  readonly batchUnits: number;
  readonly uploadBytes: number;
  readonly outputBytes: number;
  readonly resultBytes: number;
}

/** Sizes beyond this are a mistake on any machine; a clear error beats a failed allocation. */
const capacityBytesMax = 2 ** 40;
const unitsMax = 2 ** 31 - 1;

export interface PrepareResults {
  readonly batchUnits: bigint;
  readonly uploadBytes: bigint;
  readonly outputBytes: bigint;
  readonly resultBytes: bigint;
}

export function checkPrepare(results: PrepareResults): FiniteCapacities {
  const within = (word: bigint, name: string, max: number): number => {
    const value = exactNumber(word, 'prepare', name);
    if (value >= 1 && value <= max) return value;
    throw invalidReturn('prepare', `${name} = ${value}; 1 to ${max} expected`);
  };
  return {
    batchUnits: within(results.batchUnits, 'batch_units', unitsMax),
    uploadBytes: within(results.uploadBytes, 'upload_bytes', capacityBytesMax),
    outputBytes: within(results.outputBytes, 'output_bytes', capacityBytesMax),
    resultBytes: within(results.resultBytes, 'result_bytes', capacityBytesMax),
  };
}

export interface PreparedRequest {
  readonly bytes: Uint8Array;
  readonly units: number;
  readonly tag: bigint;
  /** f32 values that its row must have; null: as many as the package gives. */
  readonly values: number | null;
}

export interface RequestContext {
  readonly batchUnits: number;
  readonly values: number | null;
}

/** Refuses a request that no cohort could ever hold, so that it is never queued. */
export function checkPreparedRequest(
  results: { readonly bytes: Uint8Array; readonly units: bigint; readonly tag: bigint },
  { batchUnits, values }: RequestContext,
): PreparedRequest {
  const units = exactNumber(results.units, 'prepare_request', 'units');
  if (units < 1) {
    throw invalidReturn('prepare_request', `${units} units; at least 1 expected`);
  }
  if (units > batchUnits) {
    throw new StatusError(
      'invalidArgument',
      `the input takes ${units} units, and one cohort of this model holds at most ${batchUnits} (batch_units of 'prepare', deployment.capacity.batch_units in model.json)`,
      { where: 'prepare_request' },
    );
  }
  return { bytes: results.bytes, units, tag: results.tag, values };
}

/** The two buffers that `prepare_batch` gets beside the tags: ranges in cohort order, and bytes. */
export interface CohortInput {
  readonly ranges: Uint8Array;
  readonly prepared: Uint8Array;
}

/** Prepared bytes one after another; each range is (offset, length) as the members were given. */
export function concatenatePrepared(members: readonly Uint8Array[]): CohortInput {
  const prepared = new Uint8Array(members.reduce((sum, bytes) => sum + bytes.length, 0));
  const words: number[] = [];
  let at = 0;
  for (const bytes of members) {
    prepared.set(bytes, at);
    words.push(at, bytes.length);
    at += bytes.length;
  }
  return { ranges: tableBytes(words), prepared };
}

/** The catalog of cold stages as `prepare_batch` reads it: one i64 tag each, in ordinal order. */
export function stageTagTable(tags: readonly bigint[]): Uint8Array {
  return tableBytes(tags);
}

export interface PreparedBatch {
  readonly stage: number;
  readonly upload: Uint8Array;
  readonly plan: ResultPlan;
}

export interface BatchContext {
  /** Of each member: the values that its row must have, null for any. */
  readonly values: readonly (number | null)[];
  /** Cold stages and those that this invocation declared. */
  readonly stages: number;
  readonly capacities: FiniteCapacities;
}

export function checkPreparedBatch(
  results: { readonly stage: bigint; readonly upload: Uint8Array; readonly plan: Uint8Array },
  context: BatchContext,
): PreparedBatch {
  const { capacities, values, stages } = context;
  const entry = 'prepare_batch';
  const stage = exactNumber(results.stage, entry, 'the stage index');
  if (stage < 0 || stage >= stages) {
    throw invalidReturn(entry, `stage ${stage}; stages 0 to ${stages - 1} are declared`);
  }
  const upload = results.upload;
  if (upload.length > capacities.uploadBytes) {
    throw invalidReturn(
      entry,
      `an upload of ${upload.length} bytes; at most ${capacities.uploadBytes} are possible (upload_bytes of 'prepare')`,
    );
  }
  const { outputBytes, resultBytes } = capacities;
  const plan = parseResultPlan(results.plan, {
    entry,
    members: values.length,
    outputBytes,
    resultBytes,
    rowsEach: 1,
  });
  checkWidths(plan, values, entry);
  return { stage, upload, plan };
}

function checkWidths(plan: ResultPlan, values: BatchContext['values'], entry: string): void {
  plan.members.forEach(([row], member) => {
    const expected = values[member]!;
    if (expected === null || row!.width === expected * 4) return;
    throw invalidReturn(
      entry,
      `a row of ${row!.width / 4} values for request ${member}, which asks for ${expected}`,
    );
  });
}
