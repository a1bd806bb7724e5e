/**
 * Runs test files inside this process, one after another, each evaluated anew: for judging changes
 * that are in force here. The runner of the tests then waits to be started from here.
 */
export class TestQueue {
  readonly #exec: () => Promise<void>;

  static async open(): Promise<TestQueue> {
    globals.UVU_DEFER = true;
    const { exec } = (await import('uvu')) as unknown as { exec(): Promise<void> };
    return new TestQueue(exec);
  }

  private constructor(exec: () => Promise<void>) {
    this.#exec = exec;
  }

  /** `url` must not have been imported yet. */
  async fails(url: string): Promise<boolean> {
    globals.UVU_QUEUE!.splice(0, Infinity, [null]);
    try {
      await import(url);
      await this.#exec();
      return process.exitCode !== 0;
    } catch {
      return true;
    } finally {
      process.exitCode = 0;
    }
  }
}

const globals = globalThis as { UVU_DEFER?: boolean; UVU_QUEUE?: unknown[][] };
