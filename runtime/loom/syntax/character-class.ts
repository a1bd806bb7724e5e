/** Classes of UTF-16 units for the lexer. Names are ASCII: two names that look alike are alike. */

/** 1: starts a name, 2: continues one (digits). */
const wordClass = new Uint8Array(128);
for (let index = 0; index < 26; index += 1) {
  wordClass[65 + index] = 1;
  wordClass[97 + index] = 1;
}
wordClass[95] = 1;
for (let index = 48; index < 58; index += 1) wordClass[index] = 2;

export const startsWord = (unit: number): boolean => unit < 128 && wordClass[unit] === 1;
export const isWordCode = (unit: number): boolean => unit < 128 && wordClass[unit] !== 0;
export const isDigitCode = (unit: number): boolean => unit >= 48 && unit <= 57;
