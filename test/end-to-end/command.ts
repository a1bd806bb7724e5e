/** The command as a user runs it: a process of `loom-serve serve`, its address, and its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../http/main.js', import.meta.url));

export interface ServedCommand {
  readonly url: string;
  readonly process: ChildProcess;
  /** All that it wrote so far. */
  readonly output: () => string;
  /** Sends a signal and waits for the end: exit code, or the signal's name. */
  stop(signal: NodeJS.Signals): Promise<number | string>;
}

/** Starts `serve` on a free port and waits until it says that it is ready. */
export function serveCommand(args: readonly string[], cwd: string): Promise<ServedCommand> {
  const child = spawn(process.execPath, [main, 'serve', ...args, '--port', '0'], { cwd });
  let text = '';
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const stop = (signal: NodeJS.Signals): Promise<number | string> => {
    child.kill(signal);
    return ended;
  };
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const ready = /is ready on (http:\S+)/.exec(text);
      if (ready) resolve({ url: ready[1]!, process: child, output: () => text, stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${text}`)));
  });
}

/** Runs a command to its end. */
export function runCommandLine(
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main, ...args], { cwd });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, output })));
}
