/**
 * What runs the tasks of a pool by name. Every task is a pure function of plain data; an error
 * comes back as a record, because an exception would lose its code on the way.
 */
import { toStatus, type StatusRecord } from '../base/errors.js';

export type TaskResult = { readonly value: unknown } | { readonly status: StatusRecord };
export type RunTask = (call: { readonly task: string; readonly input: unknown }) => TaskResult;

export function taskRunner(tasks: Readonly<Record<string, (input: never) => unknown>>): RunTask {
  return ({ task: name, input }) => {
    try {
      const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
      if (task === undefined) {
        return { status: { code: 'notFound', message: `the pool has no task '${name}'` } };
      }
      return { value: task(input as never) };
    } catch (error) {
      return { status: toStatus(error) };
    }
  };
}
