/** A server that a recording is played to, whatever it runs on. */
import type { RegisterBody, Serving } from '../../http/serving.js';
import type { ReplayGround } from './replay-ground.js';

export interface ReplayServer {
  readonly ground: ReplayGround;
  readonly serving: Pick<Serving, 'register'>;
  /** Of the files of a package as they are now; null where they cannot be read. */
  digest(body: RegisterBody): Promise<string | null>;
  /** Does the work, with whatever the server needs to go on meanwhile. */
  run<Result>(work: Promise<Result>): Promise<Result>;
  /** What its actors did lately, as lines of a trace. */
  records(): Promise<Iterable<string>>;
  close(): Promise<void>;
}
