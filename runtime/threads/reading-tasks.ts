/** The tasks of the threads that wait for disks; they load nothing of the compilers. */
import { readBlock } from '../parameters/read-block.task.js';
import { readRanges } from '../parameters/read-ranges.task.js';
import { taskRunner } from './tasks.js';

export const runReadingTask = taskRunner({ 'read-block': readBlock, 'read-ranges': readRanges });
