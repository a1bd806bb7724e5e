/**
 * Scenarios of threads and devices that end. Each over HTTP, against real threads.
 * time limit: 300 s
 */
import { faults } from '../../scenarios/stories/faults.js';
import { playAll } from './play-all.js';

playAll(faults);
