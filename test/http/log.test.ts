import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { logText } from '../../http/log.js';

/** Colours depend on where the tests run. */
const plain = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

test('a line for people has time, level, message and fields, not the stack', () => {
  const record = {
    level: 40,
    time: '2026-01-02T03:04:05.678Z',
    msg: 'slow',
    elapsedMs: 12.3456,
    requestId: 'req-1',
    details: { a: [1] },
    stack: 'at somewhere',
  };
  const line = plain(logText(record));
  assert.is(line, '03:04:05 warn  slow  elapsedMs=12.35 requestId=req-1 details={"a":[1]}');
  assert.is(plain(logText({ level: 30, time: record.time, msg: 'ok' })), '03:04:05 info  ok');
});

test.run();
