/**
 * Which package serves a checkpoint that has no `model.json`: the one whose `serves` agrees with
 * what the checkpoint says of itself. A rule's fields must all be there with one of their values; a
 * field that is a list agrees when one of its elements does.
 */
import { StatusError } from '../base/errors.js';
import type { MetadataValue } from '../parameters/checkpoints/checkpoint-index.js';
import { readGgufKeys } from '../parameters/checkpoints/gguf-index.js';
import type { FoundCheckpoint } from './found-checkpoint.js';
import { parseJson } from './model-document.js';
import type { PackageFiles } from './package-files.js';
import type { ServedFields } from './serves-schema.js';
import type { ShippedPackage } from './shipped-packages.js';

/** What the checkpoint says by field, as texts; none for a field that it does not have. */
type Said = (field: string) => readonly string[];

export function choosePackage(
  checkpoint: FoundCheckpoint,
  files: PackageFiles,
  packages: readonly ShippedPackage[],
): ShippedPackage {
  const kind = checkpoint.gguf === null ? 'config.json' : 'gguf';
  const rules = packages.map(({ serves }) => serves[kind]).filter((rule) => rule !== undefined);
  const said = checkpoint.gguf === null ? configSays(files) : ggufSays(files, checkpoint, rules);
  const [chosen, other] = packages.filter(({ serves }) => agrees(serves[kind], said));
  if (chosen === undefined) throw notServed(checkpoint, rules, said);
  if (other === undefined) return chosen;
  throw new StatusError(
    'failedPrecondition',
    `${pathOf(checkpoint)} is served by ${chosen.base} and by ${other.base}; one "serves" must change`,
  );
}

const agrees = (rule: ServedFields | undefined, said: Said): boolean =>
  rule !== undefined &&
  Object.entries(rule).every(([field, values]) =>
    said(field).some((value) => values.includes(value)),
  );

function configSays(files: PackageFiles): Said {
  const value = parseJson(files.read('config.json'), 'config.json');
  const config = new Map(Object.entries(value ?? {}));
  return (field) => textsOf(config.get(field) as MetadataValue | undefined);
}

function ggufSays(
  files: PackageFiles,
  { gguf }: FoundCheckpoint,
  rules: readonly ServedFields[],
): Said {
  const file = files.openParameters(gguf!);
  try {
    const metadata = readGgufKeys(file, new Set(rules.flatMap((rule) => Object.keys(rule))));
    return (field) => textsOf(metadata.get(field));
  } finally {
    file.close();
  }
}

const textsOf = (value: MetadataValue | null | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');

const pathOf = ({ folder, gguf }: FoundCheckpoint): string => `${folder}/${gguf ?? 'config.json'}`;

function notServed(
  checkpoint: FoundCheckpoint,
  rules: readonly ServedFields[],
  said: Said,
): StatusError {
  const known = new Map<string, string[]>();
  for (const rule of rules) {
    for (const [field, values] of Object.entries(rule)) {
      known.set(field, [...(known.get(field) ?? []), ...values]);
    }
  }
  const fields = [...known].map(([field, values]) => {
    const found = said(field).join(', ') || '(nothing)';
    return `its ${field} is ${found}; supported: ${values.join(', ')}`;
  });
  const message = `${pathOf(checkpoint)} is not supported: ${fields.join(' · ') || 'no package here serves such files'}`;
  return new StatusError('invalidArgument', message, { where: pathOf(checkpoint) });
}
