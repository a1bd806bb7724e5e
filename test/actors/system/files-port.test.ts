/**
 * Who closes checkpoint files, under random histories: each file that is kept is closed once, as
 * soon as it may be, never under a running read, whatever dies.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesPort } from '../../../actors/system/files-port.js';
import type { ActorSelf } from '../../../runtime/system/actor.js';
import type { Message } from '../../../runtime/system/envelope.js';

const DEVICES = ['device:/device', 'device:/device@2'];
const SCOPES = ['alpha@1', 'alpha@1/choices/1', 'alpha@10'];

interface World {
  readonly closed: number[];
  readonly running: { readonly descriptor: number; readonly done: () => void }[];
  readonly watched: Set<string>;
  say(kind: string, payload: unknown, role?: Message['role'], from?: string): void;
  /** As a summary tells. */
  open(): number;
}

function newWorld(): World {
  const closed: number[] = [];
  const running: World['running'] = [];
  const watched = new Set<string>();
  const self = {
    watch: (address: string) => void watched.add(address),
    unwatch: (address: string) => void watched.delete(address),
    reply: () => undefined,
    replyError: () => undefined,
  } as unknown as ActorSelf;
  const port = filesPort(self, {
    closeFile: ({ descriptor }) => {
      assert.not(
        running.some((read) => read.descriptor === descriptor),
        'closed under a read',
      );
      closed.push(descriptor);
    },
    runner: {
      run: (call, done) => {
        const { descriptor } = (call.input as { file: { descriptor: number } }).file;
        const read = {
          descriptor,
          done: () => {
            running.splice(running.indexOf(read), 1);
            done({ value: {} });
          },
        };
        running.push(read);
      },
    },
  });
  const say: World['say'] = (kind, payload, role = 'tell', from = 'x') => {
    port.receive(self, { kind, payload, role, from } as unknown as Message);
  };
  return {
    closed,
    running,
    watched,
    say,
    open: () => (port.describe!(false) as { open: number }).open,
  };
}

interface Held {
  readonly descriptor: number;
  readonly device: string;
  readonly scope: string;
  isTaken: boolean;
}

type Move = readonly [what: number, device: number, scope: number, file: number];

/** Plays a move in the world and in a list; what is not in the list is to be closed. */
function play(world: World, held: Held[], [what, at, inScope, file]: Move, next: number): Held[] {
  const device = DEVICES[at]!;
  const scope = SCOPES[inScope]!;
  const picked = held[file % Math.max(1, held.length)];
  const isIts = (one: Held): boolean => one.device === device && one.scope === scope;
  switch (what) {
    case 0: {
      const files = [{ name: 'f', descriptor: next, bytes: 1 }];
      world.say('files.keep', { device, scope, files }, 'ask');
      return [...held, { descriptor: next, device, scope, isTaken: false }];
    }
    case 1:
      world.say('files.take', { device, scope });
      for (const one of held) if (isIts(one)) one.isTaken = true;
      return held;
    case 2: {
      world.say('files.drop', { device, scope });
      const isIn = (one: Held): boolean =>
        one.device === device && `${one.scope}/`.startsWith(`${scope}/`);
      return held.filter((one) => !isIn(one) || one.isTaken);
    }
    case 3:
      world.say('files.close', { device, descriptor: picked?.descriptor ?? 7 });
      return held.filter((one) => one !== picked || one.device !== device);
    case 4: {
      if (picked === undefined) return held;
      const input = { file: { descriptor: picked.descriptor } };
      world.say('task.run', { task: 'read-block', input }, 'ask');
      return held;
    }
    case 5:
      world.running[file % Math.max(1, world.running.length)]?.done();
      return held;
    default:
      world.say('down', {}, 'down', device);
      return held.filter((one) => one.device !== device);
  }
}

test('each file is closed once, when nobody has it and nobody reads it', () => {
  const move = fc.tuple(fc.nat(6), fc.nat(1), fc.nat(2), fc.nat(5));
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const world = newWorld();
      let held: Held[] = [];
      let kept = 0;
      for (const one of moves) {
        held = play(world, held, one, 100 + kept);
        if (one[0] === 0) kept += 1;
        const open = new Set(held.map(({ descriptor }) => descriptor));
        for (const { descriptor } of world.running) open.add(descriptor);
        assert.is(new Set(world.closed).size, world.closed.length, 'closed once');
        assert.is(world.closed.length, kept - open.size);
        assert.is(world.open(), open.size);
        for (const descriptor of world.closed) assert.not(open.has(descriptor));
        assert.equal(
          [...world.watched].sort(),
          [...new Set(held.map(({ device }) => device))].sort(),
        );
      }
    }),
    { numRuns: 500, seed: 4 },
  );
});

test.run();
