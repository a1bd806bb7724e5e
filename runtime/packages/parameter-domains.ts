/**
 * Parameter domains: bindings that have the same ordered checkpoint files and the same policy are
 * one bank, whichever stages they belong to. The policy runs once a domain, under the configuration
 * of the first stage that has it; all others must have equal fields.
 */
import { StatusError } from '../base/errors.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import type { Configuration } from '../loom/elaborate/configuration.js';
import type { BankInfo } from '../loom/typed.js';
import { policyText } from '../modules/parameter-declarations.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import { BankLayout } from '../parameters/bank-layout.js';
import type { LoadPlan } from '../parameters/load-plan.js';
import type { HostLimits } from '../vm/host-vm.js';
import type { StageDeclaration } from './artefacts.js';
import { runPolicy } from './policy.js';
import { codeKey, digest } from './specialization-key.js';
import type { BankBinding } from './stage-banks.js';
import { named, symbolText } from './stage-configuration.js';

/** A kernel that load plans name, to be compiled like a stage. */
export interface LoaderProgram {
  /** As `LoadPlan.loaders` has it. */
  readonly id: string;
  readonly declaration: StageDeclaration;
}

/** A checkpoint by ordinal: names of its files, and what they hold. */
export interface DomainSource {
  readonly names: readonly string[];
  readonly index: CheckpointIndex;
}

export interface DomainContext {
  readonly catalog: Catalog;
  readonly sources: readonly DomainSource[];
  readonly limits: Partial<HostLimits>;
}

/** A bank that exists already, as the stage that has it declared it. */
export interface KnownBank {
  /** Index among all banks of the generation. */
  readonly bank: number;
  readonly info: BankInfo;
  readonly stage: StageDeclaration;
}

export interface DomainUse {
  readonly declaration: StageDeclaration;
  readonly configuration: Configuration;
  readonly info: BankInfo;
  readonly binding: BankBinding;
}

export class ParameterDomains {
  readonly #context: DomainContext;
  readonly #known = new Map<string, KnownBank>();
  /** Index of the first bank that is made here. */
  readonly #first: number;
  readonly #plans: LoadPlan[] = [];
  readonly #loaders = new Map<string, StageDeclaration>();

  constructor(context: DomainContext, first = 0) {
    this.#context = context;
    this.#first = first;
  }

  get plans(): readonly LoadPlan[] {
    return this.#plans;
  }

  get loaders(): readonly LoaderProgram[] {
    return [...this.#loaders].map(([id, declaration]) => ({ id, declaration }));
  }

  /** A bank that was planned before; the first of a domain counts. */
  know(binding: BankBinding, known: KnownBank): void {
    const key = this.#keyOf(binding);
    if (!this.#known.has(key)) this.#known.set(key, known);
  }

  /** The bank of a binding, planned if it is the first of its domain. */
  bankOf(use: DomainUse): number {
    const { declaration: stage, info } = use;
    const key = this.#keyOf(use.binding);
    const known = this.#known.get(key);
    if (known === undefined) {
      const bank = this.#first + this.#plans.length;
      this.#plans.push(this.#plan(key, use));
      this.#known.set(key, { bank, info, stage });
      return bank;
    }
    const difference = fieldDifference(known.info, info);
    if (difference === null) return known.bank;
    throw new StatusError(
      'invalidArgument',
      `stages ${symbolText(known.stage)} (bank ${known.info.name}) and ${symbolText(stage)} (bank ` +
        `${info.name}) share parameters of policy ${policyText(use.binding.policy)}, and their ` +
        `fields differ: ${difference.left} there, ${difference.right} here`,
    );
  }

  #plan(key: string, use: DomainUse): LoadPlan {
    const { catalog, limits, sources } = this.#context;
    const { declaration, configuration, info, binding } = use;
    const layout = new BankLayout(info.fields);
    const inputs = binding.sources.map((ordinal) => ({ ordinal, ...sources[ordinal]! }));
    const { policy } = binding;
    const { steps, stagingBytes, loaders } = named(declaration, () =>
      runPolicy({ catalog, configuration, policy, inputs, layout, limits }),
    );
    const fields = layout.fields.map(({ name, offset, bytes }) => ({ name, offset, bytes }));
    return {
      key: digest([key, info.fields.map(fieldText)]),
      label: `${info.name} by ${policyText(policy)}`,
      fields,
      bytes: layout.bytes,
      stagingBytes,
      steps,
      loaders: loaders.map((symbol) => this.#loader({ ...loaderOf(declaration), symbol })),
    };
  }

  #loader(declaration: StageDeclaration): string {
    const id = `loader-${codeKey(declaration)}`;
    this.#loaders.set(id, declaration);
    return id;
  }

  #keyOf({ policy, sources }: BankBinding): string {
    const files = sources.map((ordinal) => this.#context.sources[ordinal]!.names);
    return digest([files, policyText(policy)]);
  }
}

/** A loader sees the configuration of the stage for which its policy ran. */
const loaderOf = ({ config, symbol }: StageDeclaration): StageDeclaration => ({
  kind: 'loader',
  symbol,
  tag: 0n,
  config,
  workspaceLimitBytes: null,
  parameters: [],
});

type Field = BankInfo['fields'][number];

/** `layer[0].w: f32x4[16]`. */
function fieldText({ name, storage, count }: Field): string {
  const element = storage.lanes === 1 ? storage.elem : `${storage.elem}x${storage.lanes}`;
  return `${name}: ${element}[${count}]`;
}

/** The first field that is not the same in both; null when all are. */
export function fieldDifference(
  left: BankInfo,
  right: BankInfo,
): { readonly left: string; readonly right: string } | null {
  const count = Math.max(left.fields.length, right.fields.length);
  for (let index = 0; index < count; index += 1) {
    const pair = [left, right].map(({ fields }) => {
      const field = fields[index];
      return field === undefined ? `no field after ${fields.length}` : fieldText(field);
    });
    if (pair[0] !== pair[1]) return { left: pair[0]!, right: pair[1]! };
  }
  return null;
}
