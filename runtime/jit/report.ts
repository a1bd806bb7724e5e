/**
 * The compile report of a stage: what was made of a command program, for people (text) and tools
 * (JSON). Everything comes from the program, its plan and its reflection; nothing is measured.
 */
import type { CommandProgram, Dispatch, Range, WordExpr } from '../loom/typed.js';
import { planCommand, type PlannedStep } from './plan-command.js';
import type { ExecutableReflection } from './reflection.js';

export interface StepReport {
  readonly part: number;
  readonly barrier: boolean;
  /** `kernel(arguments) grid(extents)`, or `zero workspace`. */
  readonly text: string;
}

export interface CompileReport {
  readonly reflection: ExecutableReflection;
  readonly steps: readonly StepReport[];
}

export function reportCommand(
  program: CommandProgram,
  reflection: ExecutableReflection,
): CompileReport {
  const steps = planCommand(program).parts.flatMap((part, index) =>
    part.map((step) => ({ part: index, barrier: step.barrier, text: stepText(program, step) })),
  );
  return { reflection, steps };
}

function stepText(program: CommandProgram, step: PlannedStep): string {
  if (step.op === 'fill') return `zero ${program.workspaces[step.workspace]!.name}`;
  const { dispatch } = step;
  const args = dispatch.args.map((arg) =>
    'base' in arg ? rangeText(program, arg) : wordText(program, arg.word),
  );
  return `${program.kernels[dispatch.kernel]!.name}(${args.join(', ')}) grid(${gridText(program, dispatch)})`;
}

function gridText(program: CommandProgram, { grid }: Dispatch): string {
  if (grid.kind === 'direct')
    return grid.extents.map((extent) => wordText(program, extent)).join(', ');
  return `indirect ${rangeText(program, grid.range)}, ${grid.index}`;
}

function rangeText(program: CommandProgram, { base, offset, length }: Range): string {
  const name =
    base.kind === 'root'
      ? program.roots[base.index]!.name
      : base.kind === 'workspace'
        ? program.workspaces[base.index]!.name
        : `${program.banks[base.index]!.name}.${program.banks[base.index]!.fields[base.field]!.name}`;
  if (offset === 0 && length === null) return name;
  return `${name}[${offset}${length === null ? '…' : ` +${length}`}]`;
}

function wordText(program: CommandProgram, word: WordExpr): string {
  if (word.op === 'const') return String(word.value);
  if (word.op === 'word') return `${program.roots[word.root]!.name}@${word.offset}`;
  const [left, right] = [wordText(program, word.left), wordText(program, word.right)];
  const named = word.op === 'min' || word.op === 'max' || word.op === 'ceil_div';
  return named ? `${word.op}(${left}, ${right})` : `(${left} ${word.op} ${right})`;
}

/** Columns of text, right-aligned where they are numbers. */
function table(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => String(row[column]).length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        typeof cell === 'number'
          ? String(cell).padStart(widths[column]!)
          : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

export function reportText({ reflection, steps }: CompileReport): string {
  const { kernels, workspaces, roots } = reflection;
  const lines = [
    `${reflection.name}: ${reflection.dispatches} dispatches, ${reflection.barriers} barriers, ` +
      `${reflection.parts} part${reflection.parts === 1 ? '' : 's'}, ${reflection.codeBytes} bytes of code`,
    `workspace ${reflection.workspaceBytes} bytes (${reflection.invocationBytes} kept over parts), ` +
      `scratch ${reflection.scratchBytes} bytes a worker`,
  ];
  if (roots.length > 0) lines.push('', 'roots');
  for (const root of roots) {
    lines.push(
      `  ${root.name}: ${root.access}, at least ${root.bytesMin} bytes${root.hosted ? ', words are read' : ''}`,
    );
  }
  if (kernels.length > 0) {
    const header = ['  kernel', 'lanes', 'views', 'shared', 'private', 'back-edges', 'code'];
    lines.push(
      '',
      ...table([
        header,
        ...kernels.map((kernel) => [
          `  ${kernel.name}`,
          kernel.lanes,
          kernel.views,
          kernel.sharedBytes,
          kernel.privateBytes,
          kernel.backEdgeBound ?? 'counted',
          kernel.codeBytes,
        ]),
      ]),
    );
  }
  if (workspaces.length > 0) {
    lines.push(
      '',
      ...table([
        ['  workspace', 'bytes', 'at', 'lifetime'],
        ...workspaces.map((workspace) => [
          `  ${workspace.name}`,
          workspace.bytes,
          workspace.offset,
          workspace.lifetime,
        ]),
      ]),
    );
  }
  lines.push('', 'steps');
  let part = 0;
  for (const step of steps) {
    if (step.part !== part) lines.push(`  --- part ${(part = step.part)}`);
    lines.push(`  ${step.barrier ? '|' : ' '} ${step.text}`);
  }
  return `${lines.join('\n')}\n`;
}

export interface ReportRow {
  readonly name: string;
  readonly value: string | number;
}

/** What a reflection alone tells, as names and values: totals, then kernels, then workspaces. */
export function stageRows(reflection: ExecutableReflection): readonly ReportRow[] {
  const { kernels, workspaces } = reflection;
  return [
    { name: 'dispatches', value: reflection.dispatches },
    { name: 'barriers', value: reflection.barriers },
    { name: 'parts', value: reflection.parts },
    { name: 'code bytes', value: reflection.codeBytes },
    { name: 'workspace bytes', value: reflection.workspaceBytes },
    { name: 'scratch bytes a worker', value: reflection.scratchBytes },
    ...kernels.map((kernel) => ({
      name: `kernel ${kernel.name}`,
      value:
        `${kernel.lanes} lane${kernel.lanes === 1 ? '' : 's'}, ${kernel.views} views, ` +
        `${kernel.sharedBytes} shared bytes, ${kernel.codeBytes} code bytes`,
    })),
    ...workspaces.map(({ name, bytes, offset }) => ({
      name: `workspace ${name}`,
      value: `${bytes} bytes at ${offset}`,
    })),
  ];
}
