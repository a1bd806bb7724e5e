/**
 * The member interface with another owner than a finite request: a dummy whose member goes through
 * two rounds, each of which reads what the round before gave. The generation, its cohorts and the
 * control program are the real ones, on the simulated transport and device.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generationOf } from '../../../actors/model/generation.js';
import type { GenerationInput } from '../../../actors/model/generation-base.js';
import type { PreparedFinite, PreparedMember, SubmitWork } from '../../../actors/protocol.js';
import type { RequestInput } from '../../../actors/serving/finite-request.js';
import type { CohortMember, Collected, MembersOffered } from '../../../actors/serving/member.js';
import { preparer } from '../../../actors/serving/preparer.js';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { memberCount } from '../../../runtime/profiles/finite-request.js';
import type { ActorFactory, ActorSelf } from '../../../runtime/system/actor.js';
import type { Message, Reply } from '../../../runtime/system/envelope.js';
import { DeviceFixture, testPorts } from '../../runtime/hal/device-fixture.js';
import { ReferenceModel } from '../../runtime/packages/reference-model.js';
import { actor, Lab, leaks, nothingLeaks } from '../../runtime/system/lab.js';
import { faultyTexts, good } from './faulty-package.js';

interface TwoRows {
  readonly rows: readonly number[];
  readonly cohortSizes: readonly number[];
}

/** The fault that a member of value 99 has in its second round only: `run` traps. */
const LATE = 99;
const RUN_TRAPS = 'R'.charCodeAt(0);

/** Offers, is collected, offers again with the row it got plus one, is collected, ends. */
const twoRounds: ActorFactory<RequestInput> = (self, input) => {
  const rows: number[] = [];
  const cohortSizes: number[] = [];
  let prepared: PreparedMember | null = null;
  let readyMs = 0;

  const offer = (alone: boolean): void => {
    const { units, tag } = prepared!;
    const request = self.address;
    const member: CohortMember = {
      ...{ request, member: 0, units, tag, age: readyMs, alone },
      prepared: prepared!,
    };
    self.tell(self.parent, 'members.offered', { members: [member] } satisfies MembersOffered);
  };
  const end = (failure: Collected['failure']): void => {
    if (failure === null) self.reply(input.ask, { rows, cohortSizes } satisfies TwoRows);
    else self.replyError(input.ask, failure);
    self.tell(self.parent, 'request.ended', { request: self.address });
    self.stop();
  };
  const collected = ({ failure, rows: bytes, cohortSize }: Collected): void => {
    if (failure !== null) return end(failure);
    const value = new Float32Array(bytes!.slice().buffer)[0]!;
    rows.push(value);
    cohortSizes.push(cohortSize);
    if (rows.length === 2) return end(null);
    const next = Uint8Array.of(value === LATE ? RUN_TRAPS : 'a'.charCodeAt(0), value + 1);
    prepared = { ...prepared!, bytes: next };
    readyMs = self.now();
    offer(false);
  };

  const { body } = input.call;
  const { deadlineMs } = input;
  self.ask(input.preparer, 'members.prepare', { body }, { deadlineMs, as: 'prepared' });
  return {
    receive(_self, { kind, payload }) {
      if (kind === 'prepared') {
        prepared = ((payload as Reply).value as PreparedMember[])[0]!;
        readyMs = self.now();
        offer(false);
      } else if (kind === 'member.returned') offer(true);
      else if (kind === 'member.collected') collected(payload as Collected);
    },
  };
};

/** Says of each of its members by itself that it is ready, all in one turn. */
const offersApart: ActorFactory<RequestInput> = (self, input) => {
  const cohortSizes: number[] = [];
  const { body } = input.call;
  const { deadlineMs } = input;
  self.ask(input.preparer, 'members.prepare', { body }, { deadlineMs, as: 'prepared' });
  return {
    receive(_self, { kind, payload }) {
      const request = self.address;
      if (kind === 'prepared') {
        const all = (payload as Reply).value as PreparedMember[];
        for (const [member, prepared] of all.entries()) {
          const { units, tag } = prepared;
          const offer = { request, member, units, tag, age: self.now(), alone: false, prepared };
          self.tell(self.parent, 'members.offered', { members: [offer] } satisfies MembersOffered);
        }
      } else if (kind === 'member.collected') {
        cohortSizes.push((payload as Collected).cohortSize);
        if (cohortSizes.length < memberCount(body)) return;
        self.reply(input.ask, { rows: [], cohortSizes } satisfies TwoRows);
        self.tell(self.parent, 'request.ended', { request });
        self.stop();
      }
    },
  };
};

/** A device queue without admission to itself: runs each submission when it arrives. */
function deviceActor(fixture: ReturnType<typeof openDevice>): ActorFactory {
  return actor((self: ActorSelf, message: Message) => {
    if (message.kind !== 'work.submit') return;
    const { submission, replyTo } = message.payload as SubmitWork;
    const { invocation } = submission;
    fixture.runner.submit(submission, {
      onAccepted: () => self.tell(replyTo, 'work.accepted', { invocation }),
      onRetired: (fact) => self.tell(replyTo, 'work.retired', fact),
      onFailed: (status) => self.tell(replyTo, 'work.failed', { invocation, status }),
    });
    const { completion } = fixture.device;
    while (completion.pending.length > 0) completion.complete(0, null);
  });
}

const openDevice = () => {
  const ports = testPorts();
  const device = openSimulatedDevice({ ports, completion: 'manual' });
  return new DeviceFixture(device, ports, { poison: true });
};

function faultyModel(): ReferenceModel {
  const files = Object.entries(faultyTexts).map(
    ([name, text]) => [name, new TextEncoder().encode(text)] as const,
  );
  const definition = {
    prepare: 'prepare.loom',
    control: 'control.loom',
    sources: ['kernel.loom'],
  };
  const document = { loom: 1, id: 'faulty', profile: 'embeddings', definition };
  return new ReferenceModel(
    checkModelDocument(document, 'model.json'),
    new MemoryFiles(new Map(files)),
  );
}

/** Everything of one generation of dummies, under one order of delivery. */
function dummies(reference: ReferenceModel, seed: number, kind = twoRounds) {
  const fixture = openDevice();
  for (const [id, { module, reflection }] of reference.artefacts) {
    fixture.device.load(id, { module, info: reflection });
  }
  const lab = new Lab({ seed, threads: ['main', 'prep'], kinds: { preparer } });
  const system = lab.system();
  const deployment = system.spawn(
    'deployment',
    actor(() => {}),
    undefined,
  );
  const device = system.spawn('device', deviceActor(fixture), undefined);
  const input: GenerationInput<PreparedFinite> = {
    prepared: { ...reference.model, place: { base: '/', packageRoots: [] }, tokenizer: null },
    ...{ deployment, device, preparationThread: 'prep', waitingMax: 100 },
  };
  const generation = system.spawn('generation', generationOf(kind), input);
  lab.settle();
  const ask = (...values: readonly number[]): Promise<TwoRows> => {
    const inputs = values.map((value) => ({ kind: 'text', text: good(value) }));
    const body = { profile: 'embeddings', inputs, dimensions: 0 };
    const call = { deployment: 'faulty', requestId: `r${values[0]}`, body };
    const deadlineMs = 1e9;
    return system.request(generation, 'request.submit', call, { deadlineMs }) as Promise<TwoRows>;
  };
  return { lab, fixture, ask, generation };
}

const reference = faultyModel();

test('a member of two rounds offers itself again and is collected once a round', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { lab, fixture, ask, generation } = dummies(reference, seed);
    const answers = Array.from({ length: 20 }, (_, value) => ask(value));
    lab.settle();
    let shared = 0;
    for (const [value, { rows, cohortSizes }] of (await Promise.all(answers)).entries()) {
      assert.equal(rows, [value, value + 1], `seed ${seed}`);
      shared = Math.max(shared, ...cohortSizes);
    }
    assert.ok(shared > 1, 'rounds share cohorts');
    lab.system().tell(generation, 'generation.drain', {});
    lab.settle();
    assert.is(lab.system().deadLetters.counts().absent ?? 0, 0);
    assert.equal(leaks(lab.system()), nothingLeaks);
    fixture.ledger.assertZero();
  }
});

test('a fault in the second round ends that member, and the others go through theirs', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { lab, fixture, ask } = dummies(reference, seed);
    const values = [...Array.from({ length: 12 }, (_, i) => i), LATE, 50, 51, 52];
    const answers = Promise.allSettled(values.map((value) => ask(value)));
    lab.settle();
    for (const [at, outcome] of (await answers).entries()) {
      const value = values[at]!;
      if (value !== LATE) {
        assert.is(outcome.status, 'fulfilled', `seed ${seed}, value ${value}`);
        const { rows } = (outcome as PromiseFulfilledResult<TwoRows>).value;
        assert.equal(rows, [value, value + 1]);
      } else {
        assert.is(outcome.status, 'rejected');
        assert.match((outcome as PromiseRejectedResult).reason.message, /\.run \(control\.loom:/);
      }
    }
    fixture.ledger.assertZero();
  }
});

test('offers that lie together when a cohort could form share it', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { lab, ask } = dummies(reference, seed, offersApart);
    const answer = ask(1, 2, 3, 4);
    lab.settle();
    assert.equal((await answer).cohortSizes, [4, 4, 4, 4], `seed ${seed}`);
  }
});

test.run();
