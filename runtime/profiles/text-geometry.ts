/**
 * What `prepare` of a text or sequence package declares, checked: the sizes of rows, epochs,
 * storage and packets. Whatever follows may take these numbers as they are.
 */
import { exactNumber, invalidReturn, TableReader } from './record-table.js';
import type { TextGeometry } from './text.js';

/** Sizes beyond these are a mistake on any machine. */
const bytesMax = 2 ** 40;
const countMax = 2 ** 31 - 1;
const packetBytesMax = 2 ** 30;
/** The model's thread keeps books of each row, page and state. */
const rowsMax = 2 ** 16;
const pagesMax = 2 ** 20;
const statesMax = 2 ** 20;
/** Smaller ones cost more in books than they hold. */
const pageBytesMin = 16;

const entry = 'prepare';

/** The results of `prepare` that are sizes, in its order. */
export interface TextPrepareResults {
  readonly rows: bigint;
  readonly tokens: bigint;
  readonly spans: bigint;
  readonly context: bigint;
  readonly storage: Uint8Array;
  readonly packets: Uint8Array;
  readonly terminal: Uint8Array;
}

/** A package that speaks needs room in an epoch for an output; `outputsMin` is 0 for others. */
export function checkTextPrepare(results: TextPrepareResults, outputsMin: number): TextGeometry {
  const count = (word: bigint, name: string, most = countMax): number =>
    within(exactNumber(word, entry, name), { name, least: 1, most });
  const limits = {
    rows: count(results.rows, 'rows', rowsMax),
    tokens: count(results.tokens, 'tokens'),
    spans: count(results.spans, 'spans'),
    context: count(results.context, 'context'),
  };
  const storage = checkStorage(results.storage, limits);
  const packets = checkPackets(results.packets, outputsMin);
  const terminal = checkTerminal(results.terminal, packets.vocabulary);
  return { ...limits, ...storage, ...packets, terminal };
}

interface Bounds {
  readonly name: string;
  readonly least: number;
  readonly most: number;
}

function within(value: number, { name, least, most }: Bounds): number {
  if (value >= least && value <= most) return value;
  throw invalidReturn(entry, `${name} = ${value}; ${least} to ${most} expected`);
}

type Storage = Pick<TextGeometry, 'pageTokens' | 'pageBytes' | 'pages' | 'stateBytes' | 'states'>;

function checkStorage(
  bytes: Uint8Array,
  { rows, context }: Pick<TextGeometry, 'rows' | 'context'>,
): Storage {
  const table = reader(bytes, 'storage', 5);
  const word = (name: string, least: number, most: number): number =>
    within(table.take(name), { name, least, most });
  const pageTokens = word('tokens of a page', 1, countMax);
  const pageBytes = word('bytes of a page', pageBytesMin, bytesMax);
  const pages = word('pages', 1, pagesMax);
  const stateBytes = word('bytes of a state', 0, bytesMax);
  const states = word('states', 0, statesMax);
  if (pages < Math.ceil(context / pageTokens)) {
    throw invalidReturn(
      entry,
      `${pages} pages of ${pageTokens} tokens; one row of ${context} tokens (context) takes ${Math.ceil(context / pageTokens)}`,
    );
  }
  if (stateBytes === 0 ? states !== 0 : states < rows) {
    const expected = stateBytes === 0 ? 'none' : `at least one for each of ${rows} rows`;
    throw invalidReturn(entry, `${states} states of ${stateBytes} bytes; ${expected} expected`);
  }
  for (const [name, total] of [
    ['pages', pages * pageBytes],
    ['states', states * stateBytes],
  ] as const) {
    if (total > bytesMax) {
      throw invalidReturn(entry, `${name} of ${total} bytes together; at most ${bytesMax} fit`);
    }
  }
  return { pageTokens, pageBytes, pages, stateBytes, states };
}

type Packets = Pick<
  TextGeometry,
  'metadataBytes' | 'inputBytes' | 'residualBytes' | 'feedbackBytes' | 'outputs' | 'vocabulary'
>;

function checkPackets(bytes: Uint8Array, outputsMin: number): Packets {
  const table = reader(bytes, 'packets', 6);
  const word = (name: string, most: number, least = 0): number =>
    within(table.take(name), { name, least, most });
  const packets = {
    metadataBytes: word('bytes of metadata', packetBytesMax),
    inputBytes: word('bytes of input', packetBytesMax),
    residualBytes: word('bytes of the residual', bytesMax),
    feedbackBytes: word("bytes of one output's feedback", packetBytesMax),
    outputs: word('outputs of an epoch', countMax, outputsMin),
    vocabulary: word('tokens known', countMax, 1),
  };
  const feedback = packets.outputs * packets.feedbackBytes;
  if (feedback <= packetBytesMax) return packets;
  throw invalidReturn(
    entry,
    `${packets.outputs} outputs with ${packets.feedbackBytes} bytes of feedback each; at most ${packetBytesMax} bytes together are possible`,
  );
}

function checkTerminal(bytes: Uint8Array, vocabulary: number): readonly number[] {
  const table = new TableReader(bytes, entry);
  const ids: number[] = [];
  while (table.remaining > 0) {
    const name = `terminal id ${ids.length}`;
    ids.push(within(table.take(name), { name, least: 0, most: vocabulary - 1 }));
  }
  return ids;
}

function reader(bytes: Uint8Array, name: string, words: number): TableReader {
  if (bytes.length === words * 8) return new TableReader(bytes, entry);
  throw invalidReturn(entry, `${name} of ${bytes.length} bytes; ${words} i64 words expected`);
}

/** An epoch runs the smallest stage that is enough for its tokens, so one is enough for all. */
export function checkShapes(tags: readonly bigint[], tokens: number): readonly number[] {
  const shapes = tags.map((tag, ordinal) => {
    const name = `the tag of stage ${ordinal}`;
    return within(exactNumber(tag, entry, name), { name, least: 1, most: countMax });
  });
  if (shapes.some((shape) => shape >= tokens)) return shapes;
  throw invalidReturn(
    entry,
    `tokens = ${tokens}, and stages for ${shapes.join(', ') || 'none'}; a stage's tag is the tokens that it takes, and one must take them all`,
  );
}
