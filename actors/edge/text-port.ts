/**
 * Retained text as http sees it, on a server that has none: every call is refused with what is
 * missing. It holds the place of the port that asks the actors.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { TextServing } from '../../http/text-serving.js';

export class TextPort implements TextServing {
  async generate(): Promise<never> {
    throw refusal();
  }

  async openSession(): Promise<never> {
    throw refusal();
  }

  async session(): Promise<never> {
    throw refusal();
  }

  async changeSession(): Promise<never> {
    throw refusal();
  }

  async tokenize(): Promise<never> {
    throw refusal();
  }

  async detokenize(): Promise<never> {
    throw refusal();
  }
}

function refusal(): StatusError {
  return new StatusError('unimplemented', 'this server serves no model of retained text');
}
