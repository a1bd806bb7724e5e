/**
 * Scenarios of sessions and of models that are removed. Each over HTTP, against real threads.
 * time limit: 300 s
 */
import { removals } from '../../scenarios/stories/removals.js';
import { sessions } from '../../scenarios/stories/sessions.js';
import { playAll } from './play-all.js';

playAll([...sessions, ...removals]);
