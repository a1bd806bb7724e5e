/**
 * What a command may do to the world besides its work: write lines, and know whether a person
 * watches. Tests give one that collects.
 */
import pc from 'picocolors';

export interface Terminal {
  /** Results: what a pipe should receive. */
  out(text: string): void;
  /** Progress and errors. */
  err(text: string): void;
  /** Standard error is a terminal, so bars and colours make sense. */
  readonly isInteractive: boolean;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  isInteractive: process.stderr.isTTY === true,
};

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export function paint(terminal: Terminal, colour: Colour, text: string): string {
  return pc.createColors(terminal.isInteractive)[colour](text);
}
