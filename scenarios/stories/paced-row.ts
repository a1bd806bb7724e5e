/** What `models/paced` answers: bytes, their sum, and two of its digits. */
export function pacedRow(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  return [bytes.length, sum, Number(text[1]), Number(text[2])];
}
