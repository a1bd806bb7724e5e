/**
 * Clients that ask one model without pause while faults happen, and what they were told. A value is
 * compared with the oracle at once; an error may only be the one that a fault explains.
 */
import * as assert from 'uvu/assert';
import type { DeviceSummary } from '../../../actors/model/device-queue.js';
import { SERVER } from '../../../actors/protocol.js';
import type { ServerSummary } from '../../../actors/system/server.js';
import { firstOutputOracle } from '../../oracles/first-output.js';
import type { TestServer } from '../running-server.js';

const CLIENTS = 8;
/** Far above what any step takes: a wait that is longer is a hang. */
const PATIENCE_MS = 45_000;
const STEP_MS = 10;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export class Traffic {
  answered = 0;
  readonly refused: { readonly code: string; readonly message: string; retryAfterS: number }[] = [];
  readonly #server: TestServer;
  readonly #model: string;
  readonly #clients: Promise<void>[];
  #isOver = false;

  constructor(server: TestServer, model: string) {
    this.#server = server;
    this.#model = model;
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#ask(client));
  }

  /** Resolves when `count` more requests were answered with their values. */
  async answers(count: number): Promise<void> {
    const target = this.answered + count;
    await until(`${count} answers of ${this.#model}`, () => this.answered >= target);
  }

  /** Every request that was sent has ended when this resolves. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    for (const { code, message, retryAfterS } of this.refused) {
      assert.is(code, 'unavailable', message);
      assert.ok(retryAfterS > 0, `it says when to try again: ${message}`);
    }
  }

  async #ask(client: number): Promise<void> {
    // A test that failed has closed its server: nobody stops the clients then. While it runs, some
    // thread must live.
    for (let round = 0; !this.#isOver && this.#server.topology.names.length > 0; round++) {
      const text = `client ${client} asks ${round}`;
      try {
        const { rows } = await this.#server.embed(this.#model, [text]);
        assert.equal(rows[0], firstOutputOracle(text));
        this.answered += 1;
      } catch (error) {
        if ((error as { code: string }).code === 'ERR_ASSERTION') throw error;
        const { code, message, status } = error as {
          code: string;
          message: string;
          status?: { retryAfterS?: number };
        };
        this.refused.push({ code, message, retryAfterS: status?.retryAfterS ?? 0 });
        await pause(STEP_MS);
      }
    }
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const start = Date.now();
  while (!(await holds())) {
    assert.ok(Date.now() - start < PATIENCE_MS, `waited too long for ${what}`);
    await pause(STEP_MS);
  }
}

export async function deviceOf(server: TestServer): Promise<DeviceSummary> {
  const deadlineMs = server.now() + PATIENCE_MS;
  const ask = (address: string, kind: string): Promise<unknown> =>
    server.system.request(address, kind, {}, { deadlineMs });
  const { devices } = (await ask(SERVER, 'server.describe')) as ServerSummary;
  return (await ask(devices[0]!.address, 'device.describe')) as DeviceSummary;
}

/** With no traffic: each model serves, and every ledger reads zero but for the loaded code. */
export async function atRest(server: TestServer, executables: number): Promise<void> {
  await until('every model to serve', async () =>
    (await server.serving.modelStates()).every(
      ({ state, inFlight, waiting }) => state === 'serving' && inFlight === 0 && waiting === 0,
    ),
  );
  let device: DeviceSummary | null = null;
  await until('the ledgers to read zero', async () => {
    device = await deviceOf(server);
    const { inFlight, resident, reserved } = device;
    return inFlight === 0 && resident === 0 && reserved === 0 && device.executables === executables;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(device)}`);
  });
  assert.is(server.system.pendingAsks.size, 0, 'asks that main waits for');
  assert.is(server.system.openAsks.size, 0, 'asks that main owes');
  const { ready, reasons } = await server.serving.readiness();
  assert.ok(ready, reasons.join('; '));
}
