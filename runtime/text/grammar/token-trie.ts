/**
 * The tokens of a vocabulary by their bytes, as one tree in the order of a walk: a node's subtree
 * lies right behind it, and whoever does not want it jumps to its end. Tokens that begin alike are
 * walked once.
 */
export interface TokenEntry {
  readonly id: number;
  /** Not empty. */
  readonly bytes: Uint8Array;
}

export class TokenTrie {
  /** By node. */
  readonly byte: Uint8Array;
  readonly depth: Uint16Array;
  /** First node behind the subtree. */
  readonly end: Int32Array;
  /** The node's tokens are `ids[idStart[node]]` up to `ids[idStart[node + 1]]`. */
  readonly idStart: Int32Array;
  readonly ids: Int32Array;
  /** 1: below the node there are plain bytes only. */
  readonly isPlain: Uint8Array;
  /** Bytes of the longest token. */
  readonly longest: number;

  constructor(entries: readonly TokenEntry[]) {
    const rows = entries
      .map(({ id, bytes }) => ({ id, key: Buffer.from(bytes).toString('latin1') }))
      .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
    const count = rows.reduce((sum, { key }, at) => sum + key.length - sharedLength(rows, at), 0);
    this.longest = rows.reduce((most, { key }) => Math.max(most, key.length), 0);
    this.byte = new Uint8Array(count);
    this.depth = new Uint16Array(count);
    this.end = new Int32Array(count);
    this.idStart = new Int32Array(count + 1);
    this.isPlain = new Uint8Array(count).fill(1);
    this.ids = Int32Array.from(rows, ({ id }) => id);
    /** Nodes of the last token, by depth. */
    const path: number[] = [];
    let node = 0;
    const closeTo = (depth: number): void => {
      while (path.length > depth) this.end[path.pop()!] = node;
    };
    rows.forEach(({ key }, at) => {
      closeTo(sharedLength(rows, at));
      while (path.length < key.length) {
        const byte = key.charCodeAt(path.length);
        if (!isPlainByte(byte)) for (const above of path) this.isPlain[above] = 0;
        this.byte[node] = byte;
        this.depth[node] = path.length;
        this.idStart[node] = at;
        path.push(node);
        node += 1;
      }
      // Nodes on the way to a token have none of their own.
      this.idStart.fill(at + 1, node, node + 1);
    });
    closeTo(0);
  }

  get nodes(): number {
    return this.byte.length;
  }
}

/** What most grammars take anywhere in a text of words or nowhere: a way to skip most of a walk. */
export const isPlainByte = (byte: number): boolean =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;

/** Bytes that a row has in common with the one before it. */
function sharedLength(rows: readonly { readonly key: string }[], at: number): number {
  const before = rows[at - 1]?.key ?? '';
  const { key } = rows[at]!;
  let length = 0;
  while (length < before.length && before[length] === key[length]) length += 1;
  return length;
}
