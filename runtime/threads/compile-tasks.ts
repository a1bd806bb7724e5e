/** The tasks of the threads that compute. */
import { compileControl } from '../packages/compile-control.task.js';
import { compileStage } from '../packages/compile-stage.task.js';
import { taskRunner } from './tasks.js';

export const runCompileTask = taskRunner({
  'compile-control': compileControl,
  'compile-stage': compileStage,
});
