/**
 * Random machines within the form that the table supports: nested states, finals with outputs,
 * guards (named, with parameters, combined), assignments, raises, effects, eventless and wildcard
 * transitions, re-entering and internal ones. All from an fc arbitrary, so failures shrink.
 */
import fc from '../../properties.js';
import { and, assign, not, or, raise, setup, type AnyStateMachine, type EventObject } from 'xstate';

const events = ['e0', 'e1', 'x.y', 'x.y.z', 'x'];
const descriptors = [...events, 'x.*', 'x.y.*', '*'];

interface Shape {
  readonly kind: 'atomic' | 'final' | 'compound';
  readonly children: readonly Shape[];
}

const leaf: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constantFrom('atomic', 'atomic', 'atomic', 'atomic', 'final') as fc.Arbitrary<
    'atomic' | 'final'
  >,
  children: fc.constant([]),
});
const inner: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constant('compound' as const),
  children: fc.array(leaf, { minLength: 1, maxLength: 3 }),
});
const shapes = fc.array(fc.oneof(leaf, inner), { minLength: 1, maxLength: 4 });

const guards = fc.constantFrom<unknown>(
  undefined,
  undefined,
  'isEven',
  'isSmall',
  { type: 'isAbove', params: { limit: 2 } },
  { type: 'isAbove', params: ({ context }: { context: { n: number } }) => ({ limit: context.n }) },
  'isNamedCombination',
  not('isEven'),
  and(['isEven', 'isSmall']),
  or(['isEven', not('isSmall')]),
);
const actions = fc.array(
  fc.constantFrom<unknown>(
    'increase',
    'takeValue',
    'raiseFirst',
    'raiseValue',
    'reset',
    'increase',
    'takeValue',
    'effectOne',
    'effectTwo',
    'effectOne',
    'effectTwo',
    { type: 'effectWith', params: { fixed: 1 } },
    { type: 'effectWith', params: ({ context }: { context: object }) => ({ seen: context }) },
    { type: 'add', params: { amount: 3 } },
  ),
  { maxLength: 3 },
);

/** Numbers from which targets and events are drawn, so that they fit whatever tree there is. */
const transition = fc.record({
  descriptor: fc.constantFrom(...descriptors),
  target: fc.option(fc.nat(), { nil: undefined }),
  reenter: fc.constantFrom(undefined, false, true),
  guard: guards,
  actions,
});
const node = fc.record({
  on: fc.array(transition, { maxLength: 4 }),
  always: fc.array(transition, { maxLength: 1 }),
  onDone: fc.option(transition, { nil: undefined }),
  entry: actions,
  exit: actions,
  initialActions: actions,
  tags: fc.subarray(['p', 'q']),
});

type Node = typeof node extends fc.Arbitrary<infer T> ? T : never;
type Transition = typeof transition extends fc.Arbitrary<infer T> ? T : never;

export const machineSpecs = fc.tuple(
  shapes,
  fc.array(node, { minLength: 14, maxLength: 14 }),
  fc.boolean(),
);

export type MachineSpec = typeof machineSpecs extends fc.Arbitrary<infer T> ? T : never;

export function buildMachine([tree, nodes, hasOutput]: MachineSpec): AnyStateMachine {
  return new MachineBuilder(tree, nodes, hasOutput).build();
}

export const machineEvents = fc.array(
  fc.record({ type: fc.constantFrom(...events, 'unknown', 'x.q'), value: fc.nat(9) }),
  { maxLength: 12 },
);

class MachineBuilder {
  readonly #ids: string[] = ['m'];
  readonly #nodes: readonly Node[];
  readonly #tree: readonly Shape[];
  readonly #hasOutput: boolean;
  #next = 0;

  constructor(tree: readonly Shape[], nodes: readonly Node[], hasOutput: boolean) {
    this.#tree = tree;
    this.#nodes = nodes;
    this.#hasOutput = hasOutput;
    this.#collect('m', tree);
  }

  build(): AnyStateMachine {
    const root = this.#state('m', { kind: 'compound', children: this.#tree });
    const output = ({ context, event }: { context: { n: number }; event: object }) => ({
      n: context.n,
      event,
    });
    const config = {
      ...root,
      id: 'm',
      context: ({ input }: { input: number }) => ({ n: input, value: 0 }),
      options: { maxIterations: 60 },
      ...(this.#hasOutput ? { output } : {}),
    };
    return base.createMachine(config as never) as unknown as AnyStateMachine;
  }

  #collect(prefix: string, children: readonly Shape[]): void {
    children.forEach((child, index) => {
      const id = `${prefix}.s${index}`;
      this.#ids.push(id);
      this.#collect(id, child.children);
    });
  }

  #state(id: string, shape: Shape): Record<string, unknown> {
    const drawn = this.#nodes[this.#next++ % this.#nodes.length]!;
    const common = { entry: drawn.entry, exit: drawn.exit, tags: drawn.tags };
    if (shape.kind === 'final') {
      return {
        ...common,
        type: 'final',
        output: ({ context }: { context: { n: number } }) => context.n,
      };
    }
    const on: Record<string, unknown[]> = {};
    for (const part of drawn.on) (on[part.descriptor] ??= []).push(this.#transition(part));
    const state: Record<string, unknown> = { ...common, on };
    state['always'] = drawn.always.map((part) => ({
      ...this.#transition(part),
      guard: part.guard ?? 'isSmall',
    }));
    if (shape.kind === 'atomic') return state;
    if (drawn.onDone !== undefined && id !== 'm') state['onDone'] = this.#transition(drawn.onDone);
    state['initial'] = { target: 's0', actions: drawn.initialActions };
    state['states'] = Object.fromEntries(
      shape.children.map((child, index) => [`s${index}`, this.#state(`${id}.s${index}`, child)]),
    );
    return state;
  }

  #transition({ target, reenter, guard, actions: list }: Transition): Record<string, unknown> {
    const id = target === undefined ? undefined : this.#ids[target % this.#ids.length];
    return {
      ...(id === undefined ? {} : { target: `#${id}` }),
      ...(reenter === undefined ? {} : { reenter }),
      ...(guard === undefined ? {} : { guard }),
      actions: list,
    };
  }
}

interface Context {
  readonly n: number;
  readonly value: number;
}

const effect = (): void => {};

const base = setup({
  types: {
    context: {} as Context,
    events: {} as { type: string; value: number },
    input: {} as number,
  },
  guards: {
    isEven: ({ context }) => context.n % 2 === 0,
    isSmall: ({ context }) => context.n < 6,
    isAbove: ({ context }, params: { limit: number }) => context.value > params.limit,
    isNamedCombination: and([
      ({ context }: { context: Context }) => context.n > 1,
      ({ event }: { event: EventObject }) => event['value' as never] !== 3,
    ]) as never,
  },
  actions: {
    increase: assign({ n: ({ context }) => context.n + 1 }),
    takeValue: assign(({ context, event }) => ({ ...context, value: event.value ?? -1 })),
    reset: assign({ n: 0 }),
    add: assign({ n: ({ context }, params: { amount: number }) => context.n + params.amount }),
    raiseFirst: raise({ type: 'e0', value: 1 }),
    raiseValue: raise(({ context }) => ({ type: 'x.y', value: context.n })),
    effectOne: effect,
    effectTwo: effect,
    effectWith: effect,
  },
});
