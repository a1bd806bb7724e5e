/**
 * Scenarios of single requests: who shares their cohort, who leaves in which state. Each over
 * HTTP, against real threads.
 * time limit: 300 s
 */
import { disconnects } from '../../scenarios/stories/disconnects.js';
import { finite } from '../../scenarios/stories/finite.js';
import { playAll } from './play-all.js';

playAll([...disconnects, ...finite]);
