import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { History } from '../../../http/console/history.js';
import { Player } from '../../../http/console/player.js';

function recorded(...times: readonly number[]): History {
  const history = new History();
  const move = {
    type: 'transition',
    actor: 'a:/x',
    from: 'idle',
    to: 'busy',
    event: 'go',
  } as const;
  history.add(times.map((atMs) => ({ ...move, atMs })));
  return history;
}

test('plays as fast as it was, from the start when it stands at the end', () => {
  const history = recorded(100, 200, 300);
  const player = new Player();
  player.play(history);
  assert.is(history.cursor, 0);
  const cursors = [0, 99, 1, 50, 50].map((ms) => {
    player.pass(history, ms);
    return history.cursor;
  });
  assert.equal(cursors, [1, 1, 2, 2, 3]);
  assert.ok(player.isPlaying);
  player.pass(history, 1);
  assert.not(player.isPlaying);
});

test('speed stretches time, long pauses are cut short, a pause stays where it is', () => {
  const history = recorded(0, 10, 1_000_000);
  const player = new Player();
  player.speed = 0.1;
  player.play(history);
  player.pass(history, 0);
  player.pass(history, 99);
  assert.is(history.cursor, 1);
  player.pass(history, 1);
  assert.is(history.cursor, 2);
  for (let turn = 0; turn < 3; turn += 1) player.pass(history, 1000);
  assert.is(history.cursor, 3);
  history.seek(1);
  player.pause(history);
  assert.not(player.pass(history, 1_000_000));
  assert.is(history.cursor, 1);
});

test.run();
