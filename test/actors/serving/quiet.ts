/** What the server says of itself through its gauges, and the law that at rest nothing stays. */
import * as assert from 'uvu/assert';
import type { TestServer } from '../running-server.js';

/** Gauges by name, the sums over their labels. */
export async function gauges({ serving }: TestServer): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  await serving.collect({
    add() {},
    observe() {},
    set: (name, _labels, value) => void (sums[name] = (sums[name] ?? 0) + value),
  });
  return sums;
}

/** Law I8: at rest the device holds nothing and no request is open. */
export async function isQuiet(server: TestServer): Promise<void> {
  const { loom_device_bytes, loom_in_flight, loom_queue_depth } = await gauges(server);
  assert.equal(
    { loom_device_bytes, loom_in_flight, loom_queue_depth },
    {
      loom_device_bytes: 0,
      loom_in_flight: 0,
      loom_queue_depth: 0,
    },
  );
}
