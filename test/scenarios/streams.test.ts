/**
 * Scenarios of streams, and of formats that ask too much. Each over HTTP, against real threads.
 * time limit: 300 s
 */
import { grammars } from '../../scenarios/stories/grammars.js';
import { streams } from '../../scenarios/stories/streams.js';
import { playAll } from './play-all.js';

playAll([...streams, ...grammars]);
