/**
 * The actor that turns prompts into tokens for one generation, and what rows hold into bytes that
 * are kept and back, on a preparation thread: it holds the control program over its own copy of the
 * frozen state, and a tokenizer of its own.
 */
import { toStatus } from '../../runtime/base/errors.js';
import { TextPreparer } from '../../runtime/packages/text-preparer.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import { readRowImage, writeRowImage } from '../../runtime/text/row-image.js';
import type {
  PreparedPrompt,
  PreparedText,
  PreparePrompt,
  ReadImage,
  TextSubmit,
  WriteImage,
} from '../protocol.js';

export interface TextPreparerInput {
  readonly prepared: PreparedText;
}

export const textPreparer = (_self: ActorSelf, { prepared }: TextPreparerInput): Behaviour => {
  const program = new TextPreparer(prepared, prepared.tokenizer);
  const answer = (ask: Message): unknown => {
    if (ask.kind === 'image.write') return writeRowImage((ask.payload as WriteImage).row, prepared);
    if (ask.kind === 'image.read') return readRowImage((ask.payload as ReadImage).image, prepared);
    if (ask.kind === 'prompt.prepare') {
      const { prompt, held, wantsForm } = ask.payload as PreparePrompt;
      const form = wantsForm ? program.callForm() : null;
      return { ids: program.promptIds(prompt, held), form } satisfies PreparedPrompt;
    }
    const { text } = ask.payload as TextSubmit;
    if (text.op === 'detokenize') return program.detokenize(text.ids);
    return program.tokenize((text as { prompt: PreparePrompt['prompt'] }).prompt);
  };
  return {
    receive(self, message) {
      if (message.kind === 'preparer.retire') return self.stop();
      if (message.role !== 'ask') return;
      try {
        self.reply(message, answer(message));
      } catch (error) {
        self.replyError(message, toStatus(error));
      }
    },
  };
};
