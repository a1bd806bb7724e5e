/** Finds what is wrong with the acts of a scenario before any of them begins. */
import { StatusError } from '../runtime/base/errors.js';
import { isCall, momentsOf, type Act, type Moment } from './scenario.js';
import { machines } from './transitions.js';

export function checkActs(acts: readonly Act[]): void {
  const names = new Set(acts.map(({ name }) => name));
  if (names.size < acts.length) throw wrong('two acts have the same name');
  for (const act of acts) {
    const { name, does } = act;
    const known = (other: string): void => {
      if (!names.has(other)) throw wrong(`${name} speaks of ${other}, and no act is called so`);
    };
    const givers = isCall(does) ? [...does.path.matchAll(/\{([^}]+)\}/g)] : [];
    for (const [, giver] of givers) known(giver!);
    for (const moment of momentsOf(act)) checkMoment(moment, known);
  }
}

function checkMoment(moment: Moment, known: (act: string) => void): void {
  if (moment.kind === 'all') for (const one of moment.of) checkMoment(one, known);
  else if (moment.kind === 'reached') {
    const { machine } = moment;
    if (machines.includes(machine)) return;
    throw wrong(`no machine is called ${machine}; there are ${machines.join(', ')}`);
  } else if (moment.kind !== 'time') known(moment.act);
}

export function tellMoment(moment: Moment): string {
  switch (moment.kind) {
    case 'time':
      return `${moment.ms} ms`;
    case 'ended':
      return `the end of ${moment.act}`;
    case 'answering':
      return `the head of the answer to ${moment.act}`;
    case 'said':
      return `${moment.events} events of ${moment.act}`;
    case 'reached':
      return moment.times === 1
        ? `${moment.machine}.${moment.state}`
        : `${moment.machine}.${moment.state} ${moment.times} times`;
    case 'all':
      return moment.of.map(tellMoment).join(' and ');
  }
}

const wrong = (message: string): StatusError => new StatusError('invalidArgument', message);
