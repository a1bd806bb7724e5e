/**
 * The schema of `model.json`, the document that names everything in a package. Strict: a field that
 * is unknown or mistyped is an error that starts with its path (`definition.prepare: expected a
 * string`), and all errors of a document come at once. Paths inside the document are references:
 * relative to the document's folder, with `/` on every platform.
 */
import { z } from 'zod';
import { StatusError } from '../base/errors.js';
import { lfsPointer } from '../base/lfs-pointer.js';
import { issueText } from './document-issues.js';
import { importSchema } from './import-schema.js';
import { servesSchema } from './serves-schema.js';

const text = z.string().min(1);
const count = z.int().min(1);
/** Also the deployment id in routes, so no characters that a URL or a path would change. */
const id = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'expected 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or a digit',
  );
const reference = text.max(1024).describe('a file, relative to the folder of this document');

export const profileNames = [
  'embeddings',
  'decisions',
  'image',
  'text',
  'sequence',
  'speech',
  'recognition',
  'activity',
] as const;

const definition = z.strictObject({
  prepare: reference.describe('program with the cold entry `prepare`'),
  control: reference.describe('program with the warm entries of the profile'),
  config: reference.optional().describe('configuration values for the whole package'),
  sources: z
    .array(reference)
    .max(256)
    .default([])
    .describe('libraries and kernels that the programs link against'),
  options: z
    .record(z.string(), z.json())
    .default({})
    .describe(
      "the package's own settings, read by its programs through the `options` capabilities",
    ),
});

const assets = z
  .strictObject({
    tokenizer: reference.optional(),
    tokenizer_config: reference
      .optional()
      .describe(
        '`tokenizer_config.json`: its chat template and special tokens are for chat.render',
      ),
    templates: z
      .record(z.string().min(1), reference)
      .optional()
      .describe("chat templates by the name that chat.render is given; '' and 'default' are one"),
    checkpoint: z
      .array(reference)
      .max(1024)
      .optional()
      .describe('files with its parameters, for readers; `prepare.source` says which are read'),
  })
  .default({});

const capacity = z
  .strictObject({
    batch_units: count
      .optional()
      .describe('at most this many units a cohort, if `prepare` allows more'),
    fuel: count.optional().describe('steps that one call of a host program may take'),
  })
  .default({});

const memory = z
  .strictObject({
    arena_bytes: count.optional().describe('host memory of one call'),
  })
  .default({});

const deployment = z
  .strictObject({
    device: z
      .string()
      .regex(/^(auto|local|webgpu|webgpu:.+)$/, 'expected auto, local, webgpu or webgpu:NAME')
      .default('auto')
      .describe(
        "which of the server's devices: auto, local, webgpu or webgpu:NAME; 'auto' takes the first, and a package that names one that is not open is refused",
      ),
    capacity,
    memory,
    specialization_cache: z
      .int()
      .min(1)
      .max(4096)
      .default(8)
      .describe('stages compiled for single invocations that are kept'),
    parameter_files: z
      .enum(['buffered', 'direct'])
      .default('buffered')
      .describe(
        "how gathers read checkpoints: 'direct' goes past the system's cache and takes aligned ranges only",
      ),
    drafting: z
      .enum(['none', 'lookup', 'source'])
      .optional()
      .describe(
        "who proposes tokens that one epoch then checks: 'lookup' the text so far, 'source' the package's `draft` (the default where it has one)",
      ),
    pin: z.boolean().default(false),
    warmup: z.boolean().default(false),
  })
  .prefault({});

export const modelDocument = z.strictObject({
  $schema: z.string().optional(),
  loom: z.literal(1).describe('version of this format'),
  id,
  profile: z.enum(profileNames),
  description: z.string().max(4096).optional(),
  accepts: z
    .array(z.enum(['dimensions']))
    .max(1)
    .default([])
    .describe('optional request fields that the package reads; others are refused'),
  definition,
  assets,
  import: importSchema.optional(),
  serves: servesSchema.optional(),
  deployment,
});

/** A checked document with every default filled in. */
export type ModelDocument = z.infer<typeof modelDocument>;

/** Checks a document that was parsed already; `where` names it in the error. */
export function checkModelDocument(value: unknown, where: string): ModelDocument {
  const result = modelDocument.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap((issue) => issueText(issue, value));
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : '';
  throw new StatusError('invalidArgument', `${where}: ${lines[0]!}${more}`, {
    where,
    details: lines.map((line) => `${where}: ${line}`),
  });
}

/** Reads the text of a document; a syntax error says where. */
export function parseModelDocument(bytes: Uint8Array, where: string): ModelDocument {
  return checkModelDocument(parseJson(bytes, where), where);
}

export function parseJson(bytes: Uint8Array, where: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const pointer = lfsPointer(bytes);
    if (pointer !== null) {
      throw new StatusError('invalidArgument', `${where} is ${pointer}`, { where });
    }
    const reason = error instanceof SyntaxError ? error.message : 'the file is not UTF-8';
    throw new StatusError('invalidArgument', `${where}: not JSON: ${reason}`, { where });
  }
}

/** The schema for editors: what an author may write, defaults optional. */
export function modelDocumentJsonSchema(): unknown {
  const schema = z.toJSONSchema(modelDocument, { io: 'input', target: 'draft-2020-12' });
  return { ...schema, title: 'loom-serve model.json' };
}
