/**
 * What Git LFS leaves in the place of a large file until it is pulled: a short text. A clone
 * without LFS is full of them, so every reader of model files tells one from a broken file.
 */

const start = 'version https://git-lfs.github.com/spec/';
/** Pointers are shorter than this by their specification. */
export const lfsPointerBytesMax = 1024;

/** What such a file is and how to get the real one; null for any other content. */
export function lfsPointer(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes.subarray(0, lfsPointerBytesMax));
  if (!text.startsWith(start)) return null;
  const [, size] = /^size (\d+)$/m.exec(text) ?? [];
  const whole = size === undefined ? 'a file' : `a file of ${size} bytes`;
  return `a Git LFS pointer to ${whole} (run \`git lfs pull\` where it lies)`;
}
