/** Times, bytes and addresses in as few characters as tell them. */

export function duration(ms: number): string {
  if (ms < 0) return '0';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.floor(ms / 3_600_000)} h`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Seconds since the server started, to the tenth of a millisecond. */
export const instant = (ms: number): string => (ms / 1000).toFixed(4);

/** The end of a path, for lists: `cohorts/7` of `model-0:/models/tiny@3/cohorts/7`. */
export const shortName = (address: string): string =>
  address
    .slice(address.indexOf(':') + 1)
    .split('/')
    .filter((part) => part !== '')
    .slice(-2)
    .join('/') || address;

export const count = (value: number): string => value.toLocaleString('en');
