/** The part of autocannon (which has no types of its own) that load.script.ts uses. */
declare module 'autocannon' {
  interface Options {
    url: string;
    method: 'GET' | 'POST';
    headers: Record<string, string>;
    body: string;
    connections: number;
    /** Seconds. */
    duration: number;
  }
  interface Result {
    requests: { average: number };
    latency: { p50: number; p99: number };
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
