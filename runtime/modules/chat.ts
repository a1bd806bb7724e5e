/**
 * Module `chat`: a chat as text, by the template that a package brings along. Templates are programs
 * of others, so each call has a limit on time and on what it gives.
 */
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions } from './signature-table.js';

export const chatSignatures = signatureTable('chat', ['render(string, string) -> string']);

/** What a package brings along for framing chats. */
export interface ChatTemplates {
  /** Templates by name; '' is the one that the tokenizer configuration prefers. */
  readonly templates: Readonly<Record<string, string>>;
  /** Special tokens as templates name them: `bos_token`, `eos_token` and others. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** Renders template `name` over the fields of a JSON object. */
export type RenderChat = (name: string, json: string) => string;

export function chatFunctions(render: RenderChat): ModuleFunctions {
  return { render: (name: string, json: string) => [render(name, json)] };
}
