/**
 * A Unigram vocabulary of [piece, score] rows as a tokenizer.json. Text is normalized to NFKC, gets
 * one `▁` in front, and every blank becomes a `▁`: what SentencePiece writes where it neither trims
 * nor joins blanks. The row number is the id.
 *
 * Reserved rows stand for no text: the first is the unknown token, the others are special tokens,
 * which the tokenizer never finds by their letters. A score that is null counts as 0, as it does in
 * the JavaScript that reads such files. Of equal pieces the last one counts; the others keep their
 * ids for decoding alone.
 */
import type { UnigramImport } from './import-section.js';
import type { SourceFolder } from './source-folder.js';

type Row = readonly [piece: string, score: number];

export function unigramTokenizer(folder: SourceFolder, spec: UnigramImport): string {
  const rows = readRows(folder, spec);
  const reserved = rows.slice(0, spec.reserved);
  const file = {
    version: '1.0',
    added_tokens: reserved.slice(1).map(([content], index) => ({
      id: index + 1,
      content,
      special: true,
      normalized: false,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' },
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
    model: { type: 'Unigram', unk_id: 0, vocab: rows },
  };
  return `${JSON.stringify(file)}\n`;
}

function readRows(folder: SourceFolder, spec: UnigramImport): readonly Row[] {
  const value = folder.json(spec.pieces);
  if (!Array.isArray(value) || value.length < spec.reserved || spec.reserved < 1) {
    const wanted = `rows of [piece, score], at least ${Math.max(spec.reserved, 1)}`;
    throw folder.fault(
      spec.pieces,
      wanted,
      Array.isArray(value) ? `${value.length}` : typeof value,
    );
  }
  return value.map((row: unknown, index): Row => {
    const [piece, score] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    if (typeof piece === 'string' && piece !== '' && (score === null || Number.isFinite(score))) {
      return [piece, score === null ? 0 : (score as number)];
    }
    throw folder.fault(spec.pieces, `[piece, score] in row ${index}`, JSON.stringify(row));
  });
}
