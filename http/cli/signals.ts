/**
 * Stop signals. `first` resolves at the first SIGINT or SIGTERM; the next one ends the process at
 * once with the shell's code for an interrupt, whatever is still running.
 */
export interface StopSignals {
  readonly first: Promise<void>;
  /** Takes the handlers away: a later signal has its usual effect. */
  ignore(): void;
}

const names = ['SIGINT', 'SIGTERM'] as const;
const interruptedCode = 130;

export function onStopSignals(): StopSignals {
  let stop: () => void = () => undefined;
  let isStopping = false;
  const first = new Promise<void>((resolve) => (stop = resolve));
  const handler = (): void => {
    if (isStopping) process.exit(interruptedCode);
    isStopping = true;
    stop();
  };
  for (const name of names) process.on(name, handler);
  return {
    first,
    ignore: () => {
      for (const name of names) process.off(name, handler);
    },
  };
}
