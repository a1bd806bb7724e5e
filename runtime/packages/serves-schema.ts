/**
 * The `serves` section of `model.json`: which checkpoints of others the package is for. A package
 * of the server's own `models` folder that has one is what serves a checkpoint that brings no
 * `model.json` along. Names of architectures and of tokenizers are data of packages; the server
 * compares them and knows none.
 */
import { z } from 'zod';

const fields = z
  .record(z.string().min(1).max(256), z.array(z.string().min(1)).min(1))
  .refine((record) => Object.keys(record).length > 0, 'expected at least one field');

export const servesSchema = z
  .strictObject({
    'config.json': fields
      .optional()
      .describe(
        'fields of a checkpoint folder’s config.json, each with the values that are served',
      ),
    gguf: fields
      .optional()
      .describe('keys of a GGUF file’s metadata, each with the values that are served'),
    tokenizers: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('JSON file that says how the tokenizers in GGUF metadata cut text'),
  })
  .describe('checkpoints without a model.json that this package serves');

export type Serves = z.infer<typeof servesSchema>;

/** Values that are served, by field. */
export type ServedFields = z.infer<typeof fields>;
