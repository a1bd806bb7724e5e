/**
 * Scenarios of what just fits, and of what does not. Each over HTTP, against real threads.
 * time limit: 300 s
 */
import { capacity } from '../../scenarios/stories/capacity.js';
import { playAll } from './play-all.js';

playAll(capacity);
