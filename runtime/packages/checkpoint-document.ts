/**
 * The document of a checkpoint that has none: that of the package that serves it, with the
 * checkpoint's files as its assets. Such a package finds in its options, beside its own:
 * `checkpoint`, the files with parameters in order, and `generation`, what
 * `generation_config.json` says, where there is one.
 */
import { StatusError } from '../base/errors.js';
import type { FoundCheckpoint } from './found-checkpoint.js';
import { checkModelDocument, parseJson } from './model-document.js';
import type { ModelDocument } from './model-document.js';
import type { PackageFiles } from './package-files.js';
import type { ShippedPackage } from './shipped-packages.js';

const GENERATION = 'generation_config.json';
const TOKENIZER_CONFIG = 'tokenizer_config.json';
const CHAT_TEMPLATE = 'chat_template.jinja';

/** What a GGUF file's metadata hold, as files below its name. */
export const ggufTokenizer = (gguf: string): string => `${gguf}/tokenizer.json`;
export const ggufTokenizerConfig = (gguf: string): string => `${gguf}/${TOKENIZER_CONFIG}`;

export function checkpointDocument(
  id: string,
  { document }: ShippedPackage,
  { gguf }: FoundCheckpoint,
  files: PackageFiles,
): ModelDocument {
  const assets = gguf === null ? folderAssets(files) : ggufAssets(files, gguf);
  const { checkpoint } = assets;
  const generation = files.has(GENERATION)
    ? { generation: parseJson(files.read(GENERATION), GENERATION) }
    : {};
  const options = { ...document.definition.options, ...generation, checkpoint };
  const value = { ...document, id, assets, definition: { ...document.definition, options } };
  return checkModelDocument(value, 'model.json');
}

function folderAssets(files: PackageFiles) {
  return {
    tokenizer: 'tokenizer.json',
    ...(files.has(TOKENIZER_CONFIG) ? { tokenizer_config: TOKENIZER_CONFIG } : {}),
    ...(files.has(CHAT_TEMPLATE) ? { templates: { default: CHAT_TEMPLATE } } : {}),
    checkpoint: safetensorsOf(files),
  };
}

/** What the index lists; without one the usual name, or else all there are. */
function safetensorsOf(files: PackageFiles): readonly string[] {
  const index = 'model.safetensors.index.json';
  if (files.has(index)) return listed(parseJson(files.read(index), index), index);
  if (files.has('model.safetensors')) return ['model.safetensors'];
  const all = files.list('.').filter((name) => name.endsWith('.safetensors'));
  if (all.length > 0) return all;
  throw new StatusError(
    'notFound',
    'beside config.json there is no *.safetensors; other formats of parameters are not read',
    { where: 'config.json' },
  );
}

function listed(value: unknown, name: string): readonly string[] {
  const map = (value as { readonly weight_map?: unknown } | null)?.weight_map;
  const files = map !== null && typeof map === 'object' ? Object.values(map) : [];
  if (files.length > 0 && files.every((file) => typeof file === 'string')) {
    return [...new Set(files)].sort();
  }
  throw new StatusError('invalidArgument', `${name}: weight_map names no files`, { where: name });
}

function ggufAssets(files: PackageFiles, gguf: string) {
  return {
    tokenizer: ggufTokenizer(gguf),
    tokenizer_config: ggufTokenizerConfig(gguf),
    checkpoint: splitOf(files, gguf),
  };
}

/** A file in pieces is named by its first one, and the others lie beside it. */
function splitOf(files: PackageFiles, gguf: string): readonly string[] {
  const [, stem, count] = /^(.*)-0*1-of-(\d+)\.gguf$/i.exec(gguf) ?? [];
  if (stem === undefined || count === undefined) return [gguf];
  return files
    .list('.')
    .filter((name) => name.startsWith(`${stem}-`) && name.endsWith(`-of-${count}.gguf`));
}
