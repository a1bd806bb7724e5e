/** Autocannon as a process of its own: URL, connections, seconds and body in, JSON out. */
import autocannon from 'autocannon';

const [url = '', connections = '1', duration = '3', body = ''] = process.argv.slice(2);
const result = await autocannon({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
  connections: Number(connections),
  duration: Number(duration),
});
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
  }),
);
