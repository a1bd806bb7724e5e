/**
 * Messages and tools of a chat as the one JSON object that the package's template sees. Content
 * parts become one text, arguments of earlier calls become values, `developer` is spelled `system`:
 * what templates understand. Everything else of a message goes through as it came.
 */
import type {
  CalledFunction,
  CallGrammar,
  JsonGrammar,
  Prompt,
} from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import { readObject, readText, wrong } from './field.js';

type Fields = Readonly<Record<string, unknown>>;

const roles: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const toolName = /^[\w-]{1,64}$/;

export interface ChatPrompt {
  readonly prompt: Prompt;
  /** The answer may call a tool. */
  readonly hasTools: boolean;
  /** The answer is held to calls of these; null: it may be anything, as far as they go. */
  readonly calls: CallGrammar | null;
}

export interface ChatFields {
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | null;
}

/** Where an answer that may call tools has a form, it is calls of them or of that form. */
export interface ChatReading {
  /** The prompt ends where the assistant begins to speak. */
  readonly isOpen?: boolean;
  readonly form?: JsonGrammar | null;
}

export function readChat(body: ChatFields, given: ChatReading = {}): ChatPrompt {
  const { isOpen = true, form = null } = given;
  const messages = readMessages(body.messages);
  const tools = readTools(body.tools);
  const choice = readToolChoice(body.tool_choice, tools);
  const hasTools = tools.length > 0 && choice !== 'none';
  const offered = hasTools ? { tools, ...(choice === null ? {} : { tool_choice: choice }) } : {};
  const json = JSON.stringify({ messages, ...offered, add_generation_prompt: isOpen });
  const isSingle = body.parallel_tool_calls === false;
  const calls = hasTools ? readCalled(tools, { choice, isSingle, form }) : null;
  return { prompt: { kind: 'chat', json }, hasTools, calls };
}

interface Called {
  readonly choice: unknown;
  readonly isSingle: boolean;
  readonly form: JsonGrammar | null;
}

/** A function that is named is called once. */
function readCalled(tools: readonly Fields[], called: Called): CallGrammar | null {
  const { choice, isSingle, form } = called;
  const isFree = choice === null || choice === 'auto';
  if (isFree && form === null) return null;
  const functions = tools.map((tool, index) => calledFunction(tool, index));
  const shared = { kind: 'calls', form: null, orElse: isFree ? form : null } as const;
  if (isFree || choice === 'required') return { ...shared, functions, isSingle };
  const { name } = (choice as Fields)['function'] as Fields;
  return { ...shared, functions: functions.filter((one) => one.name === name), isSingle: true };
}

function calledFunction(tool: Fields, index: number): CalledFunction {
  const { name, parameters, strict } = tool['function'] as Fields;
  return {
    name: name as string,
    parameters: parameters ?? null,
    place: `tools[${index}].function.parameters`,
    isStrict: strict === true,
  };
}

function readMessages(value: unknown): Fields[] {
  if (!Array.isArray(value)) throw wrong('messages', `must be an array, not ${typeName(value)}`);
  if (value.length === 0) throw wrong('messages', 'must not be empty');
  return value.map((message, index) => readMessage(message, `messages[${index}]`));
}

function readMessage(value: unknown, param: string): Fields {
  const message = readObject(value, param);
  const { role } = message;
  if (typeof role !== 'string' || !roles.includes(role)) {
    throw wrong(`${param}.role`, `must be one of ${roles.join(', ')}`);
  }
  const calls = readCalls(message['tool_calls'], `${param}.tool_calls`);
  const mayBeSilent = role === 'assistant';
  const content = readContent(message['content'], `${param}.content`, mayBeSilent);
  return {
    ...message,
    role: role === 'developer' ? 'system' : role,
    content,
    ...(calls === null ? {} : { tool_calls: calls }),
  };
}

function readContent(value: unknown, param: string, mayBeSilent: boolean): string | null {
  if (mayBeSilent && (value === undefined || value === null)) return null;
  if (typeof value === 'string') return readText(value, param);
  if (!Array.isArray(value)) {
    throw wrong(param, `must be a string or an array of parts, not ${typeName(value)}`);
  }
  return value.map((part, index) => readPart(part, `${param}[${index}]`)).join('\n');
}

function readPart(value: unknown, param: string): string {
  const part = readObject(value, param);
  if (part['type'] === 'text') return readText(part['text'], `${param}.text`);
  const shown = typeof part['type'] === 'string' ? `"${part['type']}"` : typeName(part['type']);
  throw wrong(`${param}.type`, `only parts of type "text" are taken, not ${shown}`);
}

/** Clients send arguments as JSON text; what is none stays text. */
function readCalls(value: unknown, param: string): Fields[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw wrong(param, `must be an array, not ${typeName(value)}`);
  return value.map((entry, index) => {
    const call = readObject(entry, `${param}[${index}]`);
    const called = readObject(call['function'], `${param}[${index}].function`);
    const name = readName(called['name'], `${param}[${index}].function.name`);
    return { ...call, function: { ...called, name, arguments: argumentsOf(called['arguments']) } };
  });
}

function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {};
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function readTools(value: unknown): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong('tools', `must be an array, not ${typeName(value)}`);
  return value.map((entry, index) => {
    const param = `tools[${index}]`;
    const tool = readObject(entry, param);
    if (tool['type'] !== 'function') throw wrong(`${param}.type`, 'must be "function"');
    const described = readObject(tool['function'], `${param}.function`);
    readName(described['name'], `${param}.function.name`);
    const { parameters } = described;
    if (parameters !== undefined && parameters !== null) {
      readObject(parameters, `${param}.function.parameters`);
    }
    return tool;
  });
}

function readName(value: unknown, param: string): string {
  if (typeof value === 'string' && toolName.test(value)) return value;
  throw wrong(param, 'must be a name of 1 to 64 letters, digits, _ or -');
}

function readToolChoice(value: unknown, tools: readonly Fields[]): unknown {
  const param = 'tool_choice';
  if (value === undefined || value === null) return null;
  if (value === 'none' || value === 'auto') return value;
  if (tools.length === 0) throw wrong(param, 'asks for a tool, and there are no tools');
  if (value === 'required') return value;
  if (typeof value === 'string') {
    throw wrong(param, 'must be "none", "auto", "required" or an object that names a function');
  }
  const choice = readObject(value, param);
  if (choice['type'] !== 'function') throw wrong(`${param}.type`, 'must be "function"');
  const name = readName(
    readObject(choice['function'], `${param}.function`)['name'],
    `${param}.function.name`,
  );
  const isKnown = tools.some((tool) => (tool['function'] as Fields)['name'] === name);
  if (!isKnown) throw wrong(`${param}.function.name`, `"${name}" is none of the tools`);
  return choice;
}
