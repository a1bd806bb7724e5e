/**
 * The `import` section of `model.json`: files of the package that are made from an installed npm
 * package when it is first prepared. Names of such files are names that references may use; each
 * names its converter (runtime/parameters/import) and that converter's inputs, relative to the
 * folder of the npm package.
 */
import { z } from 'zod';

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'expected a file name of letters, digits, ".", "_" or "-", without folders',
  );
const input = z.string().min(1).max(1024).describe('a file of the npm package');
const shape = z.array(z.int().min(0)).max(16);

const tfjs = z
  .strictObject({
    format: z.literal('tfjs'),
    model: input.describe('model.json of the tfjs model; its shards lie beside it'),
    tensors: z
      .record(
        z.string().min(1),
        z.union([
          z.string().min(1),
          z.strictObject({
            from: z.string().min(1).describe('name of the weight there'),
            shape: shape.describe('another shape of as many elements'),
          }),
        ]),
      )
      .optional()
      .describe('names in the checkpoint, and of the weights that they are; default: all of them'),
  })
  .describe('weights of a tfjs model as safetensors');

const unigram = z
  .strictObject({
    format: z.literal('unigram'),
    pieces: input.describe('JSON rows of [piece, score]; the row number is the id'),
    reserved: z.int().min(1).describe('rows at the start that stand for no text'),
  })
  .describe('a Unigram vocabulary as tokenizer.json');

const rows = z
  .strictObject({
    format: z.literal('rows'),
    data: input.describe('JSON, alone or as the only export of a module'),
    tensors: z.record(
      z.string().min(1),
      z.strictObject({
        at: z.array(z.union([z.string(), z.int().min(0)])).describe('keys down to the numbers'),
        shape,
      }),
    ),
  })
  .describe('numbers of a data file as safetensors');

const json = z
  .strictObject({ format: z.literal('json'), data: input })
  .describe('a data file as JSON');

export const importSchema = z
  .strictObject({
    from: z
      .string()
      .regex(
        /^npm:(?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*@\d[\w.+-]*$/,
        'expected npm:NAME@VERSION with an exact version',
      ),
    files: z.record(name, z.discriminatedUnion('format', [tfjs, unigram, rows, json])),
  })
  .describe('files that are made from an installed npm package and kept in the cache folder');
