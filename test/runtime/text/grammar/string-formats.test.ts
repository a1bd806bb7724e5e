/** Formats of strings: what is chosen under the mask is one; what standards write is accepted. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../generators/random.js';
import { accepts, tinyText } from './vocabularies.js';

/** By standard words of others: the calendar of the machine, plain expressions. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDay,
  time: isTime,
  'date-time': (text) => isDay(text.slice(0, 10)) && text[10] === 'T' && isTime(text.slice(11)),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  ipv4: (text) =>
    text.split('.').length === 4 &&
    text.split('.').every((one) => String(Number(one)) === one && Number(one) <= 255),
  email: (text) =>
    /^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(
      text,
    ) && text.length <= 254,
};

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = text.split('-').map(Number) as [number, number, number];
  const found = new Date(Date.UTC(2000, month - 1, day));
  found.setUTCFullYear(year, month - 1, day);
  return found.toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  const parts = /^(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-](\d\d):(\d\d))$/.exec(text);
  if (parts === null) return false;
  const [hour, minute, second, at, past] = [1, 2, 3, 6, 7].map((n) => Number(parts[n] ?? 0));
  return hour! < 24 && minute! < 60 && second! < 60 && at! < 24 && past! < 60;
}

const formats = Object.keys(checks);
const isWritten = (format: string, text: string): boolean =>
  accepts(tinyText.state({ type: 'string', format }), tinyText.spelled(JSON.stringify(text)));

test('whatever is chosen under the mask is of its format', () => {
  fc.assert(
    fc.property(fc.constantFrom(...formats), fc.integer(), (format, seed) => {
      const state = tinyText.state({ format });
      const random = new Random(seed);
      const ids: number[] = [];
      while (!state.isExhausted) {
        const allowed = tinyText.allowed(state).filter((id) => id !== tinyText.end);
        const id = random.of(allowed);
        state.advance(id);
        ids.push(id);
        assert.ok(ids.length < 300, tinyText.text(ids));
      }
      const text = JSON.parse(tinyText.text(ids).trim()) as string;
      assert.ok(checks[format]!(text), `${format}: ${text}`);
    }),
    { numRuns: 200 },
  );
});

test('what the standards write is accepted, and what is beside it is not', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, fc.uuid(), fc.ipV4(), (when, uuid, ip) => {
      const iso = when.toISOString();
      assert.ok(isWritten('date-time', iso), iso);
      assert.ok(isWritten('date-time', iso.replace('Z', '-03:30')));
      assert.ok(isWritten('date', iso.slice(0, 10)));
      assert.ok(isWritten('time', iso.slice(11)));
      assert.ok(isWritten('uuid', uuid));
      assert.ok(isWritten('ipv4', ip));
    }),
    { numRuns: 60 },
  );
  for (const year of [1900, 2000, 2023, 2024, 2100, 2400, 0, 4, 9996]) {
    for (const day of ['02-28', '02-29', '02-30', '04-30', '04-31', '12-31', '13-01', '01-00']) {
      const text = `${String(year).padStart(4, '0')}-${day}`;
      assert.is(isWritten('date', text), isDay(text), text);
    }
  }
  for (const text of ['256.1.1.1', '1.1.1', '01.1.1.1', '1.1.1.1.1', '1.1.1.']) {
    assert.not.ok(isWritten('ipv4', text), text);
  }
  for (const text of ['24:00:00Z', '12:60:00Z', '12:00:00', '12:00Z', '12:00:00+24:00']) {
    assert.not.ok(isWritten('time', text), text);
  }
  for (const text of ['ann.b+c@mail-2.example.org', 'a@b.co']) {
    assert.ok(isWritten('email', text), text);
  }
  for (const text of ['a..b@c.de', '@c.de', 'a@c', 'a@-c.de', 'a@c-.de', 'a@c.d', 'a b@c.de']) {
    assert.not.ok(isWritten('email', text), text);
  }
});

test.run();
