/**
 * The bodies of the model routes: what `POST /admin/models` takes, and the answers as
 * /openapi.json shows them. The package document itself (`model`) is checked by the package schema
 * behind the seam, which knows its paths.
 */
import { z } from '@hono/zod-openapi';
import { isAbsolute } from 'node:path';
import { StatusError } from '../../runtime/base/errors.js';
import type { RegisterBody } from '../serving.js';
import { typeName } from './check.js';

const text = (what: string) =>
  z
    .string({ error: (issue) => `must be a string, not ${typeName(issue.input)}` })
    .min(1, 'must not be empty')
    .openapi({ description: what });

export const registerRequest = z
  .object({
    package: text('An absolute folder on the server that holds model.json.').optional(),
    id: text('With `base` and `model`: the id to serve under.').optional(),
    base: text('Absolute folder that references in `model` start from.').optional(),
    model: z
      .record(z.string(), z.unknown(), { error: 'must be an object: a model.json document' })
      .optional()
      .openapi({ type: 'object', description: 'A model.json document.' }),
  })
  .openapi('RegisterRequest');

export function readRegisterBody(body: z.infer<typeof registerRequest>): RegisterBody {
  if (body.package !== undefined) {
    for (const other of ['id', 'base', 'model'] as const) {
      if (body[other] !== undefined) {
        throw wrong(other, 'cannot be given together with "package"');
      }
    }
    return { kind: 'package', package: absolute('package', body.package) };
  }
  if (body.model === undefined) {
    throw wrong('package', 'either "package" or "id", "base" and "model" must be given');
  }
  if (body.id === undefined) throw wrong('id', 'must be given together with "model"');
  if (body.base === undefined) throw wrong('base', 'must be given together with "model"');
  const base = absolute('base', body.base);
  return { kind: 'document', id: body.id, base, model: body.model };
}

/** A server has no current folder that a remote caller could know. */
function absolute(param: string, path: string): string {
  if (!isAbsolute(path)) throw wrong(param, `must be an absolute path, not "${path}"`);
  return path;
}

function wrong(param: string, message: string): StatusError {
  return new StatusError('invalidArgument', `${param}: ${message}`, { param });
}

export const modelAnswer = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.number().int().openapi({ description: 'Seconds since 1970.' }),
    owned_by: z.string(),
    profile: z.string(),
    generation: z.number().int(),
  })
  .openapi('Model');

export const modelsAnswer = z
  .object({ object: z.literal('list'), data: z.array(modelAnswer) })
  .openapi('ModelList');

const stageAnswer = z.object({
  ordinal: z.number().int(),
  name: z.string(),
  kind: z.enum(['command', 'kernel']),
  roots: z.number().int(),
  dispatches: z.number().int(),
  workspacePeakBytes: z.number().int(),
});

const bankAnswer = z.object({
  id: z.string(),
  state: z.enum(['absent', 'activating', 'resident', 'deactivating']),
  bytes: z.number().int(),
  loadedBytes: z.number().int(),
  totalBytes: z.number().int(),
  nonFinite: z.number().int(),
  users: z.number().int(),
  pinned: z.boolean(),
});

const rowsAnswer = z.object({
  state: z.enum(['absent', 'inUse', 'resting', 'leaving']),
  bytes: z.number().int(),
  isWanted: z.boolean(),
  pinned: z.boolean(),
  evictions: z.number().int(),
});

export const modelStateAnswer = z
  .object({
    id: z.string(),
    state: z.enum([
      'registering',
      'preparing',
      'serving',
      'replacing',
      'draining',
      'removed',
      'failed',
    ]),
    profile: z.string().nullable(),
    generation: z.number().int(),
    device: z.string(),
    unitsMax: z.number().int().nullable(),
    inFlight: z.number().int(),
    waiting: z.number().int(),
    stages: z.array(stageAnswer),
    memory: z
      .object({
        preparedPeakBytes: z.number().int(),
        residentBytes: z.number().int(),
        hostStateBytes: z.number().int(),
        byOwner: z.record(z.string(), z.number().int()),
      })
      .nullable(),
    banks: z.array(bankAnswer),
    rows: rowsAnswer.nullable(),
    package: z.string(),
    error: z.unknown().nullable(),
  })
  .openapi('ModelState');

export const errorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
      details: z.array(z.string()).optional(),
    }),
  })
  .openapi('Error');
