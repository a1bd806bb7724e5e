/**
 * The tasks of the pool by name, and what runs them. Every task is a pure function of plain data;
 * an error comes back as a record, because an exception would lose its code on the way.
 */
import { toStatus, type StatusRecord } from '../base/errors.js';
import { compileControl } from '../packages/compile-control.task.js';
import { compileStage } from '../packages/compile-stage.task.js';
import type { CompileControlInput, CompileStageInput } from '../packages/artefacts.js';
import { readBlock, type ReadBlock } from '../parameters/read-block.task.js';
import { readRanges, type ReadRanges } from '../parameters/read-ranges.task.js';

const tasks = {
  'compile-control': (input: unknown) => compileControl(input as CompileControlInput),
  'compile-stage': (input: unknown) => compileStage(input as CompileStageInput),
  'read-block': (input: unknown) => readBlock(input as ReadBlock),
  'read-ranges': (input: unknown) => readRanges(input as ReadRanges),
};

export type TaskName = keyof typeof tasks;
export type TaskResult = { readonly value: unknown } | { readonly status: StatusRecord };

export function runTask(call: { readonly task: string; readonly input: unknown }): TaskResult {
  try {
    const task = tasks[call.task as TaskName];
    if (task === undefined) {
      return { status: { code: 'notFound', message: `the pool has no task '${call.task}'` } };
    }
    return { value: task(call.input) };
  } catch (error) {
    return { status: toStatus(error) };
  }
}
