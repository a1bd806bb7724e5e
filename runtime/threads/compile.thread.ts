/** Entry of a thread that computes: piscina calls the default export once a task. */
import { useOptimizedWasm } from '../jit/v8-flags.js';
import { runCompileTask } from './compile-tasks.js';

useOptimizedWasm();

export default runCompileTask;
