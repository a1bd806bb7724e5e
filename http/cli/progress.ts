/** Shows how far long work is: a bar on a terminal, a plain line for each step elsewhere. */
import { Presets, SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

export interface Progress {
  step(done: number, total: number, label: string): void;
  /** Removes the bar. Always call it, also after a failure. */
  stop(): void;
}

export function startProgress(terminal: Terminal): Progress {
  return terminal.isInteractive ? barProgress() : lineProgress(terminal);
}

function barProgress(): Progress {
  const bar = new SingleBar(
    { format: '{bar} {value}/{total} {label}', clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  let isStarted = false;
  return {
    step(done, total, label) {
      if (!isStarted) bar.start(total, done, { label });
      isStarted = true;
      bar.setTotal(total);
      bar.update(done, { label });
    },
    stop() {
      if (isStarted) bar.stop();
    },
  };
}

function lineProgress(terminal: Terminal): Progress {
  return {
    step: (done, total, label) => terminal.err(`[${done}/${total}] ${label}`),
    stop: () => undefined,
  };
}
