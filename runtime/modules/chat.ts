/**
 * Module `chat`: a chat as text, by a template that the package brings along (`chat-renderer.ts`).
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
export interface ChatHost {
  render(name: string, json: string): string;
}

export function chatFunctions(host: ChatHost): ModuleFunctions {
  return { render: (name: string, json: string) => [host.render(name, json)] };
}
