/** A turn of a package's own case as the server takes it, in a row that ends with the turn. */
import type { CallOptions } from '../../http/serving.js';
import type { TextServing } from '../../http/text-serving.js';
import type { TextAnswer, TextTurn } from '../../runtime/packages/check-text-request.js';

export interface TurnCall extends CallOptions {
  readonly requestId: string;
  readonly model: string;
}

export async function generateTurn(
  text: Pick<TextServing, 'generate'>,
  turn: TextTurn,
  { requestId, model, ...options }: TurnCall,
): Promise<TextAnswer> {
  const ids: number[] = [];
  let said = '';
  const body = { ...turn, session: null, grammar: null };
  const result = await text.generate(
    { requestId, model, body },
    {
      ...options,
      onDelta({ text: piece, tokens }) {
        said += piece;
        ids.push(...tokens.map(({ id }) => id));
      },
    },
  );
  return { ids, text: said, finish: result.finish, captured: result.captured };
}
