/**
 * Random histories of a chart, stepped without actors. A model says which events the world may
 * bring now, hears of each before the chart does, follows the effects that the chart asks for, and
 * compares. It keeps its own account of what runs, so it disagrees with a chart that forgets.
 */
import * as assert from 'uvu/assert';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { startMachine, stepMachine } from '../../runtime/system/machine-step.js';
import type { MachineSnapshot, MachineStep } from '../../runtime/system/machine-step.js';
import type { MachineTable } from '../../runtime/system/machine-table.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';

export interface ChartStep {
  readonly event: MachineEvent;
  readonly effects: readonly string[];
  /** Where it started and ended. */
  readonly from: string;
  readonly to: string;
}

export interface ChartModel<Context> {
  readonly input?: unknown;
  /** What may come next; one that is there several times comes more often. None: it is over. */
  facts(): readonly MachineEvent[];
  before(event: MachineEvent): void;
  effect(type: string, event: MachineEvent, context: Context): void;
  check(step: ChartStep, context: Context): void;
  /** It has ended, or nothing may come any more. */
  end(state: string): void;
}

export interface HistoryOptions<Context> {
  readonly table: MachineTable;
  readonly model: (random: SeededRandom) => ChartModel<Context>;
  readonly histories: number;
  readonly stepsMax?: number;
}

/** Returns how often each state was reached. */
export function runHistories<Context>(options: HistoryOptions<Context>): Map<string, number> {
  const reached = new Map<string, number>();
  for (let seed = 1; seed <= options.histories; seed++) {
    for (const state of runHistory(options, seed))
      reached.set(state, (reached.get(state) ?? 0) + 1);
  }
  return reached;
}

function runHistory<Context>(options: HistoryOptions<Context>, seed: number): string[] {
  const { table, stepsMax = 60 } = options;
  const random = new SeededRandom(seed);
  const model = options.model(random);
  const trace: string[] = [];
  const follow = ({ effects, snapshot }: MachineStep, event: MachineEvent, from: string): void => {
    trace.push(`${from} ${event.type} ${snapshot.state.name}`);
    for (const { type, context } of effects) model.effect(type, event, context as Context);
    const types = effects.map(({ type }) => type);
    const step = { event, effects: types, from, to: snapshot.state.name };
    model.check(step, snapshot.context as Context);
  };
  let snapshot: MachineSnapshot | null = null;
  try {
    const start = startMachine(table, model.input);
    snapshot = start.snapshot;
    follow(start, { type: 'start' }, '');
    for (let i = 0; i < stepsMax && snapshot.status === 'active'; i++) {
      const facts = model.facts();
      if (facts.length === 0) break;
      const event = { ...facts[random.below(facts.length)]! };
      const from: string = snapshot.state.name;
      model.before(event);
      const step: MachineStep = stepMachine(table, snapshot, event);
      snapshot = step.snapshot;
      assert.ok(step.isExpected, `${event.type} is unexpected in ${from}`);
      follow(step, event, from);
    }
    model.end(snapshot.state.name);
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}\n${trace.join('\n')}`, { cause: error });
  }
  return trace.map((line) => line.slice(line.lastIndexOf(' ') + 1));
}
