/** Every scenario there is, in the order of `loom-serve scenario --list`. */
import type { Scenario } from './scenario.js';
import { capacity } from './stories/capacity.js';
import { disconnects } from './stories/disconnects.js';
import { faults } from './stories/faults.js';
import { finite } from './stories/finite.js';
import { grammars } from './stories/grammars.js';
import { removals } from './stories/removals.js';
import { sessions } from './stories/sessions.js';
import { streams } from './stories/streams.js';

export const allScenarios: readonly Scenario[] = [
  ...disconnects,
  ...finite,
  ...streams,
  ...sessions,
  ...grammars,
  ...capacity,
  ...removals,
  ...faults,
];
