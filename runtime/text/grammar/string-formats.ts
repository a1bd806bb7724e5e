/**
 * Strings of a `format`, as their standards write them: dates are of the calendar, numbers within
 * their ranges. Some take less than their standard has (README.md says which), none takes more.
 */
import { END } from './grammar-program.js';
import type { ProgramBuilder } from './program-builder.js';
import { has, refused } from './schema-keywords.js';
import type { Schema } from './schema-keywords.js';

type Rest = (next: number) => number;
type Writer = (builder: ProgramBuilder, next: number) => number;

const digits = '0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const long31 = ['01', '03', '05', '07', '08', '10', '12'];
const long30 = ['04', '06', '09', '11'];

const writers: Readonly<Record<string, Writer>> = {
  date,
  time,
  'date-time': (builder, next) => date(builder, builder.text('T', time(builder, next))),
  uuid,
  ipv4,
  email,
};

/** Null where the schema asks for none. */
export function formatRule(builder: ProgramBuilder, schema: Schema): number | null {
  if (!has(schema, 'format')) return null;
  const { format } = schema.keywords;
  const known = Object.keys(writers).join(', ');
  if (typeof format !== 'string' || !Object.hasOwn(writers, format)) {
    throw refused(schema, 'format', `must be one of ${known}; leave others out`);
  }
  for (const other of ['minLength', 'maxLength']) {
    if (has(schema, other)) throw refused(schema, other, 'does not stand beside format');
  }
  return builder.text('"', writers[format]!(builder, builder.text('"', END)));
}

/** Two digits from `from` to `to`. */
function two(builder: ProgramBuilder, from: number, to: number, next: number): number {
  const tens = Array.from({ length: 10 }, (_, ten) => {
    const fitting = [...digits].filter((one) => {
      const value = ten * 10 + Number(one);
      return value >= from && value <= to;
    });
    return fitting.length === 0
      ? []
      : [builder.text(`${ten}`, builder.oneOf(fitting.join(''), next))];
  });
  return builder.split(tens.flat());
}

/** Every day of the calendar, and no other. */
function date(builder: ProgramBuilder, next: number): number {
  const days = (most: number): number => builder.text('-', two(builder, 1, most, next));
  const month = (names: readonly string[], after: number): number[] =>
    names.map((name) => builder.text(`-${name}`, after));
  const shared = [...month(long31, days(31)), ...month(long30, days(30))];
  const common = builder.split([...shared, ...month(['02'], days(28))]);
  const leap = builder.split([...shared, ...month(['02'], days(29))]);
  return year(builder, (isLeap) => (isLeap ? leap : common));
}

/** Four digits; what follows depends on whether the year is a leap year. */
function year(builder: ProgramBuilder, next: (isLeap: boolean) => number): number {
  const digit = (after: (value: number) => number): number =>
    builder.bytes(
      Array.from(digits, (one) => {
        const byte = one.charCodeAt(0);
        return { low: byte, high: byte, next: after(Number(one)) };
      }),
    );
  // Of the tens only that matters which they leave when divided by four.
  const ones = (tens: number, ofZero: boolean): number =>
    digit((one) => next(tens === 0 && one === 0 ? ofZero : (tens * 10 + one) % 4 === 0));
  const decades = [true, false].map((isCenturyLeap) => {
    const [zero, even, odd] = [0, 2, 1].map((tens) => ones(tens, isCenturyLeap)) as [
      number,
      number,
      number,
    ];
    return digit((ten) => (ten === 0 ? zero : ten % 2 === 0 ? even : odd));
  }) as [number, number];
  const centuries = [0, 1].map((thousand) =>
    digit((hundred) => decades[(thousand * 10 + hundred) % 4 === 0 ? 0 : 1]),
  );
  return digit((thousand) => centuries[thousand % 2]!);
}

/** With the place of the clock: Z, or hours and minutes. */
function time(builder: ProgramBuilder, next: number): number {
  const minutes: Rest = (after) => builder.text(':', two(builder, 0, 59, after));
  const offset = builder.oneOf('+-', two(builder, 0, 23, minutes(next)));
  const place = builder.split([builder.text('Z', next), offset]);
  const entry = builder.oneOf(digits, END);
  const fraction = builder.repeat({ entry, min: 1, max: 9, next: place });
  const seconds = minutes(builder.optional(builder.text('.', fraction), place));
  return two(builder, 0, 23, minutes(seconds));
}

function uuid(builder: ProgramBuilder, next: number): number {
  const entry = builder.oneOf(`${digits}abcdefABCDEF`, END);
  const group = (count: number, after: number): number =>
    builder.repeat({ entry, min: count, max: count, next: after });
  return [8, 4, 4, 4].reduceRight(
    (after, count) => group(count, builder.text('-', after)),
    group(12, next),
  );
}

function ipv4(builder: ProgramBuilder, next: number): number {
  const octet: Rest = (after) => {
    const last = builder.oneOf(digits, after);
    return builder.split([
      last,
      builder.oneOf('123456789', last),
      builder.text('1', builder.oneOf(digits, last)),
      builder.text('2', builder.oneOf('01234', last)),
      builder.text('25', builder.oneOf('012345', after)),
    ]);
  };
  const dotted: Rest = (after) => octet(builder.text('.', after));
  return dotted(dotted(dotted(octet(next))));
}

/** Words with points between them, a host of at least two labels. */
function email(builder: ProgramBuilder, next: number): number {
  const plain = letters + digits;
  const some = (of: string, max: number, after: number): number =>
    builder.repeat({ entry: builder.oneOf(of, END), min: 1, max, next: after });
  const top = builder.oneOf(letters, some(letters, 23, next));
  const last = builder.oneOf(plain, END);
  const inner = builder.split([last, builder.text('-', last)]);
  const label = builder.oneOf(
    plain,
    builder.repeat({ entry: inner, min: 0, max: 20, next: builder.text('.', END) }),
  );
  const host = builder.repeat({ entry: label, min: 1, max: 4, next: top });
  const word = (after: number): number => some(`${plain}_+-`, 20, after);
  const more = builder.text('.', word(END));
  const words = builder.repeat({ entry: more, min: 0, max: 2, next: builder.text('@', host) });
  return word(words);
}
