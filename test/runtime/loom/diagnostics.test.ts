/** How diagnostics are collected, ordered, shown and thrown. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import {
  DiagnosticSink,
  LoomError,
  renderDiagnostic,
  renderDiagnostics,
} from '../../../runtime/loom/diagnostics.js';
import { packAt } from '../../../runtime/loom/tree.js';

const text = 'first\n\tlet ab = cd\r\nlast';
const sources = (file: string): string | null => (file === 'a.loom' ? text : null);

test('a diagnostic shows its line, a caret under its place and its hint', () => {
  const shown = renderDiagnostic(
    {
      file: 'a.loom',
      at: packAt(2, 6),
      endColumn: 8,
      message: "'ab' is wrong",
      hint: 'make it right',
      related: [
        { file: 'a.loom', at: packAt(3, 1), message: 'declared here' },
        { file: 'b.loom', at: packAt(7, 2), message: 'and there' },
      ],
    },
    sources,
  );
  assert.is(
    shown,
    [
      "a.loom:2:6: 'ab' is wrong",
      '  | \tlet ab = cd',
      '  | \t    ^^',
      '  hint: make it right',
      '  a.loom:3:1: declared here',
      '  | last',
      '  | ^',
      '  b.loom:7:2: and there',
    ].join('\n'),
  );
});

test('without a source there is only the place', () => {
  assert.is(renderDiagnostic({ file: 'x', at: packAt(1, 2), message: 'm' }), 'x:1:2: m');
  assert.is(
    renderDiagnostic({ file: 'a.loom', at: packAt(9, 1), message: 'm' }, sources),
    'a.loom:9:1: m',
  );
});

test('a long line is shown around the caret', () => {
  const line = `${'a'.repeat(300)}!${'b'.repeat(300)}`;
  const shown = renderDiagnostic({ file: 'f', at: packAt(1, 301), message: 'm' }, () => line);
  const [, source, caret] = shown.split('\n');
  assert.ok(source!.length <= 104);
  assert.is(source![caret!.indexOf('^')], '!');
});

test('a place at or behind the end of its line has a caret or none, and no error', () => {
  const at = (column: number) =>
    renderDiagnostic(
      { file: 'f', at: packAt(1, column), endColumn: column + 9, message: 'm' },
      () => 'abc',
    );
  assert.is(at(4), 'f:1:4: m\n  | abc\n  |    ^');
  assert.is(at(9), 'f:1:9: m\n  | abc');
});

test('diagnostics are listed by file and place, each once', () => {
  const sink = new DiagnosticSink();
  const place = (file: string, at: number) => ({ file, at, message: 'm' });
  sink.reportAll([place('b', 1), place('a', 2), place('a', 1), place('a', 2)]);
  assert.equal(sink.list(), [place('a', 1), place('a', 2), place('b', 1)]);
  assert.is(sink.count, 3);
});

test('a flood is cut and counted', () => {
  const sink = new DiagnosticSink();
  for (let at = 0; at < 250; at += 1) sink.report({ file: 'f', at, message: 'm' });
  assert.is(sink.count, 100);
  assert.is(sink.dropped, 150);
  assert.ok(sink.isFull);
});

test('an empty sink throws nothing', () => {
  new DiagnosticSink().throwIfAny();
});

test('the error carries everything, rendered and as data', () => {
  const sink = new DiagnosticSink();
  sink.report({ file: 'a.loom', at: packAt(3, 1), message: 'second' });
  sink.report({ file: 'a.loom', at: packAt(1, 1), message: 'first' });
  try {
    sink.throwIfAny(sources);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, LoomError);
    assert.instance(error, StatusError);
    const { status, diagnostics, message } = error as LoomError;
    assert.is(message, 'a.loom:1:1: first (and 1 more)');
    assert.is(status.code, 'invalidArgument');
    assert.is(status.where, 'a.loom:1:1');
    assert.is(status.details!.join('\n\n'), renderDiagnostics(diagnostics, sources));
    assert.is(status.details!.length, 2);
    assert.equal(structuredClone(status), status);
  }
});

test.run();
