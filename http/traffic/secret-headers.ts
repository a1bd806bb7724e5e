/**
 * What of a request's head is never recorded: the one table of secrets. Names are matched, not
 * values, and generously: a header that only looks like a secret is no loss to a replay.
 */

interface SecretRow {
  readonly name: RegExp;
  readonly about: string;
}

const secretNames: readonly SecretRow[] = [
  { name: /auth/, about: 'authorization, proxy-authorization, x-auth-token' },
  { name: /cookie/, about: 'sessions of browsers' },
  { name: /token|secret|passw|credential|signature|jwt|csrf|xsrf/, about: 'by their own word' },
  { name: /(^|[-_])(api|access|private)?[-_]?key($|[-_])/, about: 'api-key, x-api-key, key' },
  { name: /^(forwarded|via)$|^x-(forwarded|real|client|original)-|-ip$/, about: 'who asked' },
];

/** They say how the bytes came, not what was asked; a replay makes its own. */
const ofTransport: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'user-agent',
]);

const VALUE_MAX = 1024;

export const isSecret = (name: string): boolean =>
  secretNames.some((row) => row.name.test(name.toLowerCase()));

/** Headers that may be recorded. */
export function keptHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofTransport.has(name) || isSecret(name)) continue;
    kept[name] = String(value).slice(0, VALUE_MAX);
  }
  return kept;
}

/** A path with its query, where values under names of secrets are left out. */
export function keptPath(target: string): string {
  if (!target.startsWith('/')) return keptPath(ownPath(target));
  const at = target.indexOf('?');
  if (at < 0) return target;
  const query = target.slice(at + 1).split('&');
  const kept = query.filter((pair) => !isSecret(decoded(pair.split('=')[0] ?? '')));
  return kept.length === 0 ? target.slice(0, at) : `${target.slice(0, at)}?${kept.join('&')}`;
}

/** Of a target that names a host, too (`GET http://host/path`). */
function ownPath(target: string): string {
  if (!URL.canParse(target)) return '/';
  const { pathname, search } = new URL(target);
  return `/${pathname.slice(1)}${search}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
