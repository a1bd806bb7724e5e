/**
 * The actor of one served version: hosts `generation.machine.ts`, owns the control program, the
 * scheduler and the specialization cache, and is the parent of its requests, cohorts and
 * specializations.
 */
import { ChurnMap, ChurnSet } from '../../runtime/base/churn-map.js';
import { toStatus } from '../../runtime/base/errors.js';
import { FiniteControl, type StageUse } from '../../runtime/packages/finite-control.js';
import type { ActorFactory, ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import {
  machineActor,
  type MachineActorFactory,
  type MachineHost,
} from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { Scheduler } from '../policy/scheduler.js';
import { SpecializationCache } from '../policy/specialization-cache.js';
import { memberCount } from '../../runtime/profiles/finite-request.js';
import type { FiniteCall, PreparedFinite, TextSubmit } from '../protocol.js';
import { BriefPreparer } from '../serving/brief-preparer.js';
import { cohort } from '../serving/cohort.js';
import { finiteRequest, type RequestInput } from '../serving/finite-request.js';
import type {
  CohortMember,
  MembersDropped,
  MembersLeft,
  MembersOffered,
  MembersWithdrawn,
} from '../serving/member.js';
import {
  GenerationBase,
  generationEffects,
  generationFace,
  type GenerationInput,
  type GenerationPulse,
  type GenerationSummary,
} from './generation-base.js';
import { machine } from './generation.machine.js';
import { MemoryGate } from './memory-gate.js';
import { specialization } from './specialization.js';

type FiniteInput = GenerationInput<PreparedFinite>;

/** One runs on the device, one is prepared meanwhile. */
const COHORTS_IN_FLIGHT = 2;
/** Its queue as it stands, for who asks why a request waits. */
export interface GenerationDetails {
  readonly model: string;
  readonly device: string;
  readonly preparer: string;
  readonly unitsMax: number;
  readonly cohortsMax: number;
  /** Oldest first. */
  readonly waiting: readonly WaitingMember[];
  readonly cohorts: readonly string[];
}

export interface WaitingMember {
  readonly request: string;
  readonly member: number;
  readonly units: number;
  readonly tag: string;
  readonly alone: boolean;
}

class GenerationHost extends GenerationBase<PreparedFinite> {
  readonly #request: ActorFactory<RequestInput>;
  readonly #scheduler = new Scheduler<CohortMember>();
  readonly #cache: SpecializationCache;
  /** Addresses by key, of those that the cache counts. */
  readonly #specializations = new Map<string, string>();
  /** Executables of specializations that have not been unloaded, of evicted ones too. */
  readonly #loaded = new Set<string>();
  /** Specializations by what cohorts hold of them. */
  readonly #lent = new ChurnMap<string, string>();
  #specialized = 0;
  #compiling = 0;
  #control: FiniteControl | null = null;
  #brief: BriefPreparer | null = null;
  readonly #requests = new ChurnSet<string>();
  /** Members of the cohorts in flight. */
  readonly #cohorts = new ChurnMap<string, readonly CohortMember[]>();
  #willForm = false;
  #cohortsFormed = 0;
  #membersServed = 0;
  readonly #gate = new MemoryGate();

  constructor(self: ActorSelf, input: FiniteInput, request: ActorFactory<RequestInput>) {
    super(self, input, 'preparer');
    this.#request = request;
    const { specialization_cache } = input.prepared.document.deployment;
    this.#cache = new SpecializationCache(specialization_cache);
  }

  loadControl(): void {
    try {
      this.#control = new FiniteControl(this.input.prepared);
      this.#brief = new BriefPreparer(this.input.prepared);
      const { prepared, device } = this.input;
      if (prepared.memoryForecast !== null) return this.#gate.open(this.self, device);
      if (this.warm()) return;
      this.self.tell(this.self.address, 'control.loaded', {});
    } catch (error) {
      this.self.tell(this.self.address, 'control.refused', { status: toStatus(error) });
    }
  }

  described(reply: Reply): MachineEvent | null {
    const status = this.#gate.described(reply);
    if (status !== null) return { type: 'control.refused', status };
    return this.warm() ? null : { type: 'control.loaded' };
  }

  #refuseText(ask: Message): void {
    const { text } = ask.payload as TextSubmit;
    this.refuseProfile(ask, (text.op === 'generate' ? text.body.profile : undefined) ?? 'text');
  }

  accept(ask: Message): void {
    const call = ask.payload as FiniteCall;
    const { waitingMax, prepared } = this.input;
    if (call.body === undefined) return this.#refuseText(ask);
    const preparer = this.preparer;
    const name = this.self.nextId('request');
    const isFull = this.#scheduler.size + memberCount(call.body) > waitingMax;
    const refusal = isFull
      ? this.queueFull(this.#scheduler.size, 'inputs wait').status
      : this.#gate.refusal(this.#control!, call.body);
    if (refusal !== null) {
      this.self.replyError(ask, refusal);
      this.self.tell(this.self.address, 'request.ended', { request: name });
      return;
    }
    const { generation } = prepared;
    const deadlineMs = ask.deadline ?? Number.MAX_SAFE_INTEGER;
    const brief = this.#brief!;
    const input = { call, ask, generation, brief, preparer, deadlineMs };
    const address = this.self.spawn(`requests/${name}`, this.#request, input);
    this.#requests.add(address);
    this.self.handOver(ask, address);
  }

  offer({ members }: MembersOffered): void {
    for (const member of members) this.#scheduler.offer(member);
  }

  withdraw(request: string): void {
    const dropped = this.#scheduler.withdraw(request);
    if (dropped > 0) {
      this.self.tell(request, 'members.dropped', { count: dropped } satisfies MembersDropped);
    }
    for (const [cohortAddress, members] of this.#cohorts) {
      const count = members.filter((member) => member.request === request).length;
      if (count === 0) continue;
      this.self.tell(cohortAddress, 'members.left', { count } satisfies MembersLeft);
    }
  }

  forget(request: string): void {
    this.#scheduler.withdraw(request);
    this.#requests.delete(request);
  }

  /** The next cohort forms behind the offers that lie in the mailbox, not after the first. */
  gatherOffers(): void {
    if (this.#willForm || this.#cohorts.size >= COHORTS_IN_FLIGHT) return;
    this.#willForm = true;
    this.self.tell(this.self.address, 'offers.gathered', {});
  }

  formCohorts(): void {
    this.#willForm = false;
    while (this.#cohorts.size < COHORTS_IN_FLIGHT) {
      const members = this.#scheduler.take(this.input.prepared.capacities.batchUnits);
      if (members.length === 0) return;
      for (const { request, member } of members) {
        this.self.tell(request, 'member.joined', { member });
      }
      this.#cohortsFormed += 1;
      this.#membersServed += members.length;
      this.self.tell(this.self.address, 'cohort.formed', { members: members.length });
      const address = this.self.spawn(`cohorts/${this.#cohortsFormed}`, cohort, {
        members,
        control: this.#control!,
        device: this.input.device,
      });
      this.#cohorts.set(address, members);
    }
  }

  cohortEnded(address: string): void {
    this.#cohorts.delete(address);
  }

  specialize(use: StageUse, asker: string): void {
    const { key } = use;
    if (!this.#cache.has(key)) this.#spawnSpecialization(use);
    // It waits with whoever asked first, and is not waited for itself.
    else this.self.tell(this.self.address, 'specialization.decided', {});
    this.#cache.use(key);
    const address = this.#specializations.get(key)!;
    this.#lent.set(leaseOf(key, asker), address);
    this.self.tell(address, 'specialization.use', { cohort: asker });
    this.#evictSurplus();
  }

  /** Each has names of its own: one that was evicted may still be on its way out. */
  #spawnSpecialization(asked: StageUse): void {
    const control = this.#control!;
    const { id: deployment, parameters } = this.input.prepared;
    const { key } = asked;
    this.#specialized += 1;
    const use = { ...asked, executable: `${asked.executable}.${this.#specialized}` };
    let executables: readonly string[] = [];
    let isDecided = false;
    const decide = (): void => {
      if (isDecided) return;
      isDecided = true;
      this.#compiling -= 1;
      this.self.tell(this.self.address, 'specialization.decided', {});
    };
    this.#compiling += 1;
    const address = this.self.spawn(`specializations/${this.#specialized}`, specialization, {
      use,
      scope: `${parameters.scope}/choice/${this.#specialized}`,
      deployment,
      device: this.input.device,
      preparer: () => this.preparer,
      taskOf: (declaration) => control.taskOf(declaration),
      banksOf: (task, { reflection }) => control.banksOf(task, reflection),
      onReady: (ready, loaded) => {
        executables = loaded;
        for (const id of executables) this.#loaded.add(id);
        // One that was evicted while it compiled gives way to a newer one of its key.
        if (this.#specializations.get(key) === address) control.adopt(use, ready);
        decide();
      },
      onGone: () => {
        for (const id of executables) this.#loaded.delete(id);
        control.drop(use);
        for (const [lease, lent] of this.#lent) if (lent === address) this.#lent.delete(lease);
        if (this.#specializations.get(key) === address) this.#forgetSpecialization(key);
        decide();
      },
    });
    this.#specializations.set(key, address);
  }

  #forgetSpecialization(key: string): void {
    this.#specializations.delete(key);
    this.#cache.forget(key);
  }

  /** A cohort that left early may return what failed on the way. */
  returnSpecialization({ key }: StageUse, asker: string): void {
    const lease = leaseOf(key, asker);
    const address = this.#lent.get(lease);
    if (address === undefined) return;
    this.#lent.delete(lease);
    this.#cache.release(key);
    this.self.tell(address, 'specialization.release', { cohort: asker });
    this.#evictSurplus();
  }

  /** From here on nobody finds them; asking for one again starts another. */
  #evictSurplus(): void {
    for (const key of this.#cache.surplus()) {
      this.self.tell(this.#specializations.get(key)!, 'specialization.evict', {});
      this.#forgetSpecialization(key);
    }
  }

  releaseStages(): void {
    this.release(this.#loaded);
  }

  details(): GenerationDetails {
    const { prepared, device } = this.input;
    return {
      model: prepared.id,
      device,
      preparer: this.preparer,
      unitsMax: prepared.capacities.batchUnits,
      cohortsMax: COHORTS_IN_FLIGHT,
      waiting: this.#scheduler.waiting.map(({ request, member, units, tag, alone }) => {
        return { request, member, units, tag: String(tag), alone };
      }),
      cohorts: [...this.#cohorts.keys()],
    };
  }

  pulse(): GenerationPulse {
    return {
      what: 'generation',
      model: this.input.prepared.id,
      ready: this.#scheduler.size,
      formed: this.#cohortsFormed,
      hasRoom: this.#cohorts.size < COHORTS_IN_FLIGHT,
      inFlight: [...this.#cohorts.keys()],
      compiling: this.#compiling,
    };
  }

  /** For fault injection: the word to form the next cohort is lost, as by a mistake of its own. */
  loseOffers(): void {
    this.#willForm = true;
  }

  describe(): GenerationSummary {
    return {
      requests: this.#requests.size,
      waiting: this.#scheduler.size,
      cohorts: this.#cohorts.size,
      specializations: this.#cache.keys().length,
      cohortsFormed: this.#cohortsFormed,
      membersServed: this.#membersServed,
    };
  }
}

const leaseOf = (key: string, asker: string): string => `${asker} ${key}`;

/** A generation whose requests are actors of this kind: the members of its cohorts are theirs. */
export const generationOf = (
  request: ActorFactory<RequestInput>,
): MachineActorFactory<FiniteInput> =>
  machineActor(machine, (self: ActorSelf, input: FiniteInput): MachineHost => {
    const host = new GenerationHost(self, input, request);
    return {
      ...generationFace(host),
      replies: {
        'banks.warmed': (reply) => host.warmed(reply),
        'device.described': (reply) => host.described(reply),
      },
      effects: {
        ...generationEffects(host),
        gatherOffers: () => host.gatherOffers(),
        formCohorts: () => host.formCohorts(),
        keepMembers: (event) => host.offer(event as unknown as MembersOffered),
        dropMembers: (event) => host.withdraw((event as unknown as MembersWithdrawn).request),
        forgetRequest: (event) => host.forget((event as unknown as { request: string }).request),
        forgetCohort: (_event, _context, message) => host.cohortEnded(message.from),
        lendSpecialization: (event) => {
          const { use, cohort: asker } = event as unknown as { use: StageUse; cohort: string };
          host.specialize(use, asker);
        },
        takeBackSpecialization: (event, _context, { from }) =>
          host.returnSpecialization((event as unknown as { use: StageUse }).use, from),
      },
      messages: {
        cancel: () => null,
        'offers.lose': () => {
          host.loseOffers();
          return null;
        },
      },
    };
  });

export const generation = generationOf(finiteRequest);
