/** Entry of a thread that reads checkpoints: piscina calls the default export once a task. */
import { runReadingTask } from './reading-tasks.js';

export default runReadingTask;
