/**
 * A bank that was given its storage needs its checkpoints, whatever becomes of its generation
 * before it hears what it told itself.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bank, type BankInput } from '../../../actors/model/bank.js';
import type { BankCalls } from '../../../runtime/memory/bank-calls.js';
import { SourceTable } from '../../../runtime/parameters/source-table.js';
import { Lab } from '../../runtime/system/lab.js';

interface Begun {
  readonly lab: Lab;
  readonly calls: BankCalls;
  readonly sources: SourceTable;
  readonly address: string;
  /** Files that were closed; banks whose activation failed. */
  readonly closed: string[];
  readonly failed: string[];
}

/** Its actor has run, and the table knows its calls. */
function begin(): Begun {
  const closed: string[] = [];
  const failed: string[] = [];
  let calls: BankCalls | null = null;
  const sources = new SourceTable(({ name }) => void closed.push(name));
  const file = { name: 'weights', descriptor: 7 };
  const table = {
    register: (_: unknown, told: BankCalls) => void (calls = told),
    failed: (id: string) => void failed.push(id),
  };
  const input = {
    ...{ id: 'b', deployment: 'm', pinned: false, table },
    plan: { label: 'w', bytes: 8, stagingBytes: 0, fields: [] },
    sources: sources.register('m@1', [{ files: [file] }] as never),
    device: { queue: { refuse: () => undefined } },
  } as unknown as BankInput;
  const lab = new Lab();
  const address = lab.system().spawn('bank', bank, input);
  lab.settle();
  return { lab, calls: calls!, sources, address, closed, failed };
}

test('files stay open for a bank that has not heard yet that it is to be filled', () => {
  const { lab, calls, sources, address, closed, failed } = begin();
  calls.onActivate({ slab: 0, offset: 0, length: 8 }, []);
  sources.release('m@1');
  assert.equal(closed, []);
  lab
    .system()
    .root.children.find((cell) => cell.address === address)!
    .halt({
      kind: 'stopped',
      note: 'the device ends',
    });
  assert.equal(failed, ['b']);
  assert.equal(closed, ['weights'], 'once');
});

test('and no longer for one that was not to be filled', () => {
  const { lab, sources, closed, failed } = begin();
  sources.release('m@1');
  assert.equal(closed, ['weights']);
  lab.system().shutdown();
  assert.equal(closed, ['weights']);
  assert.equal(failed, []);
});

test.run();
