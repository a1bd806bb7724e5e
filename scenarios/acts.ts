/** Words for acts and moments: what a client asks, and when. All of them make plain data. */
import { registers, unregisters } from './packages.js';
import type { Act, Call, Moment, PackageNeed } from './scenario.js';

/** When and how, beside what. */
export type How = Omit<Act, 'name' | 'does'> & Pick<Call, 'id'>;

const post = (path: string, body?: unknown): Call => ({ method: 'POST', path, body });

function act(name: string, call: Call, { id, ...how }: How): Act {
  return { name, does: id === undefined ? call : { ...call, id }, ...how };
}

export const ask = (name: string, path: string, body: unknown, how: How = {}): Act =>
  act(name, post(path, body), how);

export const look = (name: string, path: string, how: How = {}): Act =>
  act(name, { method: 'GET', path }, how);

export const embed = (name: string, model: string, input: unknown, how: How = {}): Act =>
  ask(name, '/v1/embeddings', { model, input }, how);

/** A completion by the text package unless `body` says otherwise. */
export const complete = (name: string, body: object, how: How = {}): Act =>
  ask(name, '/v1/completions', { model: 'tiny-text', ...body }, how);

export const chat = (name: string, body: object, how: How = {}): Act =>
  ask(name, '/v1/chat/completions', { model: 'tiny-text', ...body }, how);

export const open = (name: string, how: How = {}, model = 'tiny-text'): Act =>
  ask(name, '/v1/sessions', { model }, how);

/** A turn or a change of the session that act `session` has opened. */
export const turn = (name: string, session: string, body: object, how: How = {}): Act =>
  ask(name, `/v1/sessions/{${session}}/generate`, body, how);

export const change = (
  name: string,
  session: string,
  what: 'append' | 'fork' | 'rewind' | 'checkpoint' | 'restore',
  how: How & { readonly body?: object } = {},
): Act => {
  const { body = {}, ...rest } = how;
  return ask(name, `/v1/sessions/{${session}}/${what}`, body, rest);
};

export const describe = (name: string, session: string, how: How = {}): Act =>
  look(name, `/v1/sessions/{${session}}`, how);

export const close = (name: string, session: string, how: How = {}): Act =>
  act(name, { method: 'DELETE', path: `/v1/sessions/{${session}}` }, how);

/** Ends a request by its id. */
export const cancel = (name: string, id: string, how: How = {}): Act =>
  act(name, { method: 'DELETE', path: `/v1/requests/${id}` }, how);

export const register = (name: string, need: PackageNeed, how: How = {}): Act =>
  act(name, registers(need), how);

export const unregister = (name: string, model: string, how: How = {}): Act =>
  act(name, unregisters(model), how);

export const kill = (name: string, thread: string, when: Moment): Act => ({
  name,
  does: { kind: 'kill', thread },
  when,
});

/** `answering(name)` is when it is blocked. */
export const block = (name: string, thread: string, until: Moment): Act => ({
  name,
  does: { kind: 'block', thread, until },
});

/** The device starts no work until then; `answering(name)` is when it is held. */
export const holdDevice = (name: string, until: Moment, when?: Moment): Act => ({
  name,
  does: { kind: 'hold-device', until },
  ...(when === undefined ? {} : { when }),
});

export const loseDevice = (name: string, when: Moment): Act => ({
  name,
  does: { kind: 'lose-device' },
  when,
});

export const at = (ms: number): Moment => ({ kind: 'time', ms });
export const ended = (name: string): Moment => ({ kind: 'ended', act: name });
export const answering = (name: string): Moment => ({ kind: 'answering', act: name });
export const said = (name: string, events: number): Moment => ({
  kind: 'said',
  act: name,
  events,
});
export const reached = (machine: string, state: string, times = 1): Moment => ({
  kind: 'reached',
  machine,
  state,
  times,
});
export const all = (...of: readonly Moment[]): Moment => ({ kind: 'all', of });

/** Each of them when the one before has ended. */
export function inTurn(acts: readonly Act[]): Act[] {
  return acts.map((one, index) => {
    const before = acts[index - 1];
    if (before === undefined) return one;
    const when = one.when === undefined ? ended(before.name) : all(one.when, ended(before.name));
    return { ...one, when };
  });
}
