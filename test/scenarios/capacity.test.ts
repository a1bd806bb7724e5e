/** Scenarios of what just fits, and of what does not. Each over HTTP, against real threads. */
import { capacity } from '../../scenarios/stories/capacity.js';
import { playAll } from './play-all.js';

playAll(capacity);
