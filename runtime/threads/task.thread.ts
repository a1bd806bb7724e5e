/** Entry of a pool thread: piscina calls the default export once a task. */
import { useOptimizedWasm } from '../jit/v8-flags.js';
import { runTask } from './tasks.js';

useOptimizedWasm();

export default runTask;
