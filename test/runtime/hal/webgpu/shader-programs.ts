/**
 * The programs of `../programs.ts` as WGSL, written by hand to the plan's convention, so that tests
 * of the device depend on no compiler. Every root is bound whole, as an array of u32.
 */
import type { ExecutableImage, RootBinding } from '../../../../runtime/hal/executable.js';
import type { ExecutableReflection } from '../../../../runtime/jit/reflection.js';
import type {
  WgslDispatch,
  WgslKernel,
  WgslStep,
} from '../../../../runtime/jit/wgsl/wgsl-program.js';
import type { Range, RangeBase, WordExpr } from '../../../../runtime/loom/typed.js';

const number = (value: number): WordExpr => ({ op: 'const', type: 'u32', value });
const word = (root: number, offset: number): WordExpr => {
  return { op: 'word', type: 'u32', root, offset };
};
const product = (left: WordExpr, right: WordExpr): WordExpr => {
  return { op: '*', type: 'u32', left, right };
};
const difference = (left: WordExpr, right: WordExpr): WordExpr => {
  return { op: '-', type: 'u32', left, right };
};

export interface TwinKernel {
  readonly name: string;
  /** Names of its views, each bound by the base of the same place. */
  readonly views: readonly string[];
  readonly workgroupSize?: number;
  /** Bases of the constant family. */
  readonly constant?: readonly string[];
  /** Statements; `NAME_at(i)`, `NAME_length()`, `scalar(j)` and `id` are there. */
  readonly body: string;
}

/** A kernel with accessors that read zero outside a view. */
export function twinKernel(twin: TwinKernel): WgslKernel {
  const { name, views, workgroupSize = 1, constant = [], body } = twin;
  const access = (view: string) => (constant.includes(view) ? 'read' : 'read_write');
  const declared = views.map(
    (view, at) =>
      `@group(0) @binding(${at}) var<storage, ${access(view)}> ${view}: array<u32>;\n` +
      `fn ${view}_base() -> u32 { return slot_word(${2 * at}u); }\n` +
      `fn ${view}_length() -> u32 { return slot_word(${2 * at + 1}u); }\n` +
      `fn ${view}_at(i: u32) -> u32 {\n` +
      `  return select(0u, ${view}[${view}_base() + i], i < ${view}_length());\n}`,
  );
  const source = [
    `@group(0) @binding(${views.length}) var<uniform> slot: array<vec4u, 16>;`,
    'fn slot_word(i: u32) -> u32 { return slot[i / 4u][i % 4u]; }',
    `fn scalar(j: u32) -> u32 { return slot_word(${2 * views.length}u + j); }`,
    ...declared,
    `@compute @workgroup_size(${workgroupSize})`,
    'fn main(@builtin(global_invocation_id) id: vec3u) {',
    `  let unused = ${['0u', ...views.map((view) => `${view}_at(0u)`)].join(' + ')} + scalar(0u);`,
    body,
    '}',
  ].join('\n');
  return {
    key: name,
    name,
    position: 'test.loom:1:1',
    source,
    workgroupSize,
    bindings: views.map((view) => ({ access: access(view), bytesMin: 4 })),
    views: views.map((view, binding) => ({ name: view, binding, unit: 4, elementBytes: 4 })),
    workgroupBytes: 0,
    needs: [],
  };
}

export const rootBase = (index: number): RangeBase => ({ kind: 'root', index });
export const bankBase = (index: number): RangeBase => ({ kind: 'bank', index, field: 0 });
export const workspaceBase = (index: number): RangeBase => ({ kind: 'workspace', index });

export interface TwinStep {
  readonly kernel: number;
  readonly bases: readonly RangeBase[];
  readonly scalars?: readonly WordExpr[];
  readonly grid?: WgslDispatch['grid'];
}

export interface TwinProgram {
  readonly name: string;
  readonly roots: readonly RootBinding[];
  readonly kernels: readonly TwinKernel[];
  readonly parts: readonly (readonly TwinStep[])[];
  readonly workspaceBytes?: number;
  readonly steps?: readonly string[];
  readonly banks?: readonly string[];
}

const ONE: WgslDispatch['grid'] = { kind: 'direct', extents: [number(1)] };

export function twinImage(twin: TwinProgram): ExecutableImage {
  const { name, kernels, workspaceBytes = 0, banks = [] } = twin;
  let index = 0;
  const parts = twin.parts.map((steps) =>
    steps.map(({ kernel, bases, scalars = [], grid = ONE }): WgslStep => {
      const bindings = bases.map((base): Range => ({ base, offset: 0, length: null }));
      const views = bases.map(() => ({ offset: 0, length: null }));
      return { op: 'dispatch', index: index++, kernel, bindings, views, scalars, grid };
    }),
  );
  const workspaces = [{ name: 'workspace', bytes: workspaceBytes, offset: 0 } as const];
  const info: Partial<ExecutableReflection> & ExecutableImage['info'] = {
    name,
    roots: twin.roots,
    bankFields: banks.map(() => 4),
    workspaceBytes,
    parts: parts.length,
    scratchBytes: 0,
    steps: twin.steps ?? parts.flat().map(() => name),
    workspaces: workspaces.map((each) => ({ ...each, lifetime: 'invocation' })),
    banks: banks.map((bank) => {
      const storage = { kind: 'scalar', type: 'u32' } as never;
      return { name: bank, fields: [{ name: 'word', storage, count: 1, bytes: 4 }] };
    }),
  };
  return { info, module: null, wgsl: { kernels: kernels.map(twinKernel), parts }, banks };
}

const root = (name: string, access: RootBinding['access'], bytesMin = 4): RootBinding => {
  return { name, access, hosted: false, bytesMin };
};
const [A, B] = [rootBase(0), rootBase(1)];
const inputOutput = [root('input', 'in'), root('output', 'out')];

export function triple(): ExecutableImage {
  const body = `
  for (var i = id.x; i < output_length(); i += 256u) {
    output[output_base() + i] = input_at(i) * 3u + 1u;
  }`;
  return twinImage({
    name: 'triple',
    roots: inputOutput,
    kernels: [{ name: 'triple', views: ['input', 'output'], workgroupSize: 64, body }],
    parts: [[{ kernel: 0, bases: [A, B], grid: { kind: 'direct', extents: [number(4)] } }]],
  });
}

export function append(options: { hosted?: boolean } = {}): ExecutableImage {
  const hosted = options.hosted ?? false;
  const body = `
  if (row_length() > 0u) { row[row_base()] = row_at(0u) * 31u + input_at(0u); }`;
  return twinImage({
    name: 'append',
    roots: [{ ...root('input', 'in'), hosted }, root('row', 'inout')],
    kernels: [{ name: 'append', views: ['input', 'row'], body }],
    parts: [[{ kernel: 0, bases: [A, B] }]],
  });
}

export function echo(workspaceBytes: number): ExecutableImage {
  const write = `
  for (var i = id.x; i < space_length(); i += 64u) { space[space_base() + i] = input_at(0u); }`;
  const read = `
  for (var i = id.x; i < output_length(); i += 64u) { output[output_base() + i] = space_at(i); }`;
  const space = workspaceBase(0);
  return twinImage({
    name: 'echo',
    roots: [root('input', 'in'), root('output', 'out', workspaceBytes)],
    workspaceBytes,
    kernels: [
      { name: 'write', views: ['input', 'space'], workgroupSize: 64, body: write },
      { name: 'read', views: ['output', 'space'], workgroupSize: 64, body: read },
    ],
    parts: [
      [
        { kernel: 0, bases: [A, space] },
        { kernel: 1, bases: [B, space] },
      ],
    ],
  });
}

export function parts(count: number): ExecutableImage {
  const body = `
  if (space_length() > 0u && output_length() > 0u) {
    let value = select(space_at(0u) * 10u + scalar(0u), input_at(0u), scalar(0u) == 0u);
    space[space_base()] = value;
    output[output_base()] = value;
  }`;
  const bases = [A, B, workspaceBase(0)];
  return twinImage({
    name: 'parts',
    roots: inputOutput,
    workspaceBytes: 256,
    kernels: [{ name: 'part', views: ['input', 'output', 'space'], body }],
    parts: Array.from({ length: count }, (_, part) => [
      { kernel: 0, bases, scalars: [number(part)] },
    ]),
  });
}

/** Its grid is what the host uploaded: the first word of the packet. */
export function cohort(): ExecutableImage {
  const body = `
  let row = packet_at(1u + id.x);
  if (row < rows_length() && row < streams_length() && id.x < output_length()) {
    rows[rows_base() + row] = rows_at(row) + 1u;
    streams[streams_base() + row] = conditioning_at(0u) + rows_at(row);
    output[output_base() + id.x] = streams_at(row);
  }`;
  const views = ['packet', 'rows', 'conditioning', 'streams', 'output'];
  return twinImage({
    name: 'cohort',
    roots: [
      { ...root('packet', 'in', 8), hosted: true },
      root('rows', 'inout'),
      root('conditioning', 'in'),
      root('streams', 'inout'),
      root('output', 'out'),
    ],
    kernels: [{ name: 'cohort', views, body }],
    parts: [
      [
        {
          kernel: 0,
          bases: views.map((_, at) => rootBase(at)),
          grid: { kind: 'direct', extents: [word(0, 0)] },
        },
      ],
    ],
  });
}

/** input = [_, step, extent]: dispatch `step` gets the grid `extent`, the other one none. */
export function poisonous(): ExecutableImage {
  const kernel = { name: 'nothing', views: ['input'], body: '' };
  const [step, extent] = [word(0, 4), word(0, 8)];
  const of = (value: WordExpr) => {
    return { kernel: 0, bases: [A], grid: { kind: 'direct', extents: [value] } } as const;
  };
  return twinImage({
    name: 'poisonous',
    roots: [{ ...root('input', 'in', 12), hosted: true }, root('output', 'out')],
    steps: ['first', 'second'],
    kernels: [kernel],
    parts: [[of(product(extent, difference(number(1), step))), of(product(extent, step))]],
  });
}

/** Binds the same bytes twice, both to be written: the device refuses that when it is submitted. */
export function trapping(): ExecutableImage {
  return twinImage({
    name: 'trapping',
    roots: [root('output', 'out')],
    kernels: [{ name: 'twice', views: ['left', 'right'], body: 'left[0] = 1u; right[0] = 2u;' }],
    parts: [[{ kernel: 0, bases: [A, A] }]],
  });
}

/** output[0] = input[0] + the first words of bank fields, which are of the constant family. */
export function weighted(banks: readonly string[]): ExecutableImage {
  const names = banks.map((_, at) => `bank${at}`);
  const sum = ['input', ...names].map((name) => `${name}_at(0u)`).join(' + ');
  const body = `if (output_length() > 0u) { output[output_base()] = ${sum}; }`;
  const views = ['input', 'output', ...names];
  return twinImage({
    name: 'weighted',
    roots: inputOutput,
    banks,
    kernels: [{ name: 'weighted', views, constant: names, body }],
    parts: [[{ kernel: 0, bases: [A, B, ...banks.map((_, at) => bankBase(at))] }]],
  });
}
