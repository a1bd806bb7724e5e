/** Submissions as a model's thread would send them, for tests. */
import type { Submission, SubmissionBuffer } from '../../../runtime/hal/submission.js';
import { ownerOf, u32 } from './device-fixture.js';

export const whole = (
  buffer: number,
  length: number,
): { buffer: number; offset: number; length: number } => ({
  buffer,
  offset: 0,
  length,
});

let next = 0;

/** An empty submission with a new id. */
export function submission(rest: Partial<Submission>, deployment = 'test'): Submission {
  const invocation = `invocation-${next++}`;
  return {
    invocation,
    owner: ownerOf(deployment, invocation),
    buffers: [],
    uploads: [],
    commands: [],
    snapshot: [],
    ...rest,
  };
}

/** Uploads `values`, triples them, reads them back. */
export function tripled(values: number[], rest: Partial<Submission> = {}): Submission {
  const bytes = values.length * 4;
  return submission({
    buffers: [
      { bytes, lifetime: 'invocation' },
      { bytes, lifetime: 'invocation' },
    ],
    uploads: [{ target: whole(0, bytes), bytes: u32(...values) }],
    commands: [
      {
        op: 'execute',
        work: 0,
        executable: 'triple',
        roots: [whole(0, bytes), whole(1, bytes)],
        part: 0,
      },
    ],
    snapshot: [whole(1, bytes)],
    ...rest,
  });
}

/** Appends `value` to the row `key`; the row is the snapshot. */
export function appended(
  key: string,
  value: number,
  lifetime: SubmissionBuffer['lifetime'] = 'row',
): Submission {
  return submission({
    buffers: [
      { bytes: 4, lifetime: 'invocation' },
      { bytes: 4, lifetime, key },
    ],
    uploads: [{ target: whole(0, 4), bytes: u32(value) }],
    commands: [
      { op: 'execute', work: 0, executable: 'append', roots: [whole(0, 4), whole(1, 4)], part: 0 },
    ],
    snapshot: [whole(1, 4)],
  });
}

/** A submission whose only execution poisons itself. `output` is its second buffer. */
export function poisoned(cause: number[], output: SubmissionBuffer): Submission {
  return submission({
    buffers: [{ bytes: 12, lifetime: 'invocation' }, output],
    uploads: [{ target: whole(0, 12), bytes: u32(...cause) }],
    commands: [
      {
        op: 'execute',
        work: 0,
        executable: 'poisonous',
        roots: [whole(0, 12), whole(1, output.bytes)],
        part: 0,
      },
    ],
    snapshot: [whole(1, output.bytes)],
  });
}
