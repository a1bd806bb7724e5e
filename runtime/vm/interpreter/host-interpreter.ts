/**
 * The interpreter of host programs: the meaning of the language, the executor of cold programs and
 * the oracle of emitted code. All functions are compiled to closures when it is made.
 */
import type { HostProgram, Type } from '../../loom/typed.js';
import type { Executor, ExecutorHost, RawValue } from '../executor.js';
import { LiteralTable } from '../literal-table.js';
import { positionOf, ProgramError, withFrame } from '../program-error.js';
import { HostCompiler, type HostCode, type HostScope } from './host-compiler.js';

export function interpretHost(program: HostProgram, host: ExecutorHost): Executor {
  const types: Type[] = [];
  const functions: HostCode[] = program.functions.map((declared) => ({ declared, run: () => [] }));
  const scope: HostScope = {
    program,
    heap: host.heap,
    operations: host.operations(types),
    capabilities: host.capabilities,
    literals: new LiteralTable(),
    functions,
    typeNumber: (type) => types.push(type) - 1,
  };
  // Literals must lie in the heap before anything runs, so everything is compiled now.
  for (const code of functions) code.run = new HostCompiler(scope, code.declared).compile();
  host.heap.writeLiterals(scope.literals.image());
  return {
    call(func: number, args: readonly RawValue[]): readonly RawValue[] {
      try {
        return functions[func]!.run(args);
      } catch (error) {
        if (error instanceof ProgramError) throw error;
        const { name, site } = program.functions[func]!;
        throw withFrame(error, { func: name, position: positionOf(program.files, site) });
      }
    },
  };
}
