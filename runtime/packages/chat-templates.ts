/**
 * What a package brings along for framing chats, read when it is prepared: the templates and
 * special tokens of its `tokenizer_config.json`, and templates that are files of their own. Plain
 * text here; rendering is in `modules/chat-renderer.ts`.
 */
import { z } from 'zod';
import { StatusError } from '../base/errors.js';
import type { ChatTemplates } from '../modules/chat.js';
import { issueText } from './document-issues.js';
import { parseJson, type ModelDocument } from './model-document.js';
import type { PackageFiles } from './package-files.js';

export type { ChatTemplates };

/** A template is parsed for each chat; one beyond this is a mistake. */
const templateLengthMax = 256 * 1024;
/** The name of the one that the configuration prefers. */
const PREFERRED = '';

const token = z.union([z.string(), z.looseObject({ content: z.string() })]);

/** Of the many fields of the file, those that templates are about. */
const configSchema = z.looseObject({
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .nullish(),
});

export function readTemplates({ assets }: ModelDocument, files: PackageFiles): ChatTemplates {
  const { tokenizer_config: config, templates: named = {} } = assets;
  const read = config === undefined ? null : readConfig(config, files);
  const templates = { ...read?.templates };
  for (const [name, reference] of Object.entries(named)) {
    templates[nameOf(name)] = utf8Text(files.read(reference), reference);
  }
  for (const [name, template] of Object.entries(templates)) {
    if (template.length <= templateLengthMax) continue;
    throw new StatusError(
      'invalidArgument',
      `chat template '${name}' has ${template.length} characters; at most ${templateLengthMax} are possible`,
    );
  }
  return { templates, tokens: read?.tokens ?? {} };
}

function readConfig(reference: string, files: PackageFiles): ChatTemplates {
  const value = parseJson(files.read(reference), reference);
  const result = configSchema.safeParse(value, { reportInput: true });
  if (!result.success) {
    const [line] = result.error.issues.flatMap((issue) => issueText(issue, value));
    throw new StatusError('invalidArgument', `${reference}: ${line}`, { where: reference });
  }
  const templates: Record<string, string> = {};
  const { chat_template: given } = result.data;
  if (typeof given === 'string') templates[PREFERRED] = given;
  else {
    for (const { name, template } of given ?? []) {
      templates[nameOf(name)] = template;
    }
  }
  return { templates, tokens: specialTokens(result.data) };
}

const nameOf = (name: string): string => (name === 'default' ? PREFERRED : name);

/** Fields like `bos_token`: a text, or an object with one. */
function specialTokens(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!name.endsWith('_token')) continue;
    const { success, data } = token.safeParse(value);
    if (success) tokens[name] = typeof data === 'string' ? data : data.content;
  }
  return tokens;
}

function utf8Text(bytes: Uint8Array, reference: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new StatusError('invalidArgument', `${reference}: the file is not UTF-8`, {
      where: reference,
    });
  }
}
