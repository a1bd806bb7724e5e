/**
 * The text of a whole shader around what was emitted: directives, bindings, the slot, workgroup
 * memory, functions, and the head of `main`, which takes every parameter from the slot once.
 */
import type { KernelBindings } from './kernel-bindings.js';
import { localKinds } from './local-lets.js';
import { declaration } from './shared-functions.js';
import { declared, type WgslScope } from './wgsl-scope.js';
import { nameOf, typeName } from './wgsl-types.js';

export function shaderText(
  scope: WgslScope,
  { list }: KernelBindings,
  needs: readonly string[],
): string {
  const { kernel } = scope;
  const directives = needs.map((need) =>
    // The language shows that a subgroup comes by together; WGSL's own analysis knows less.
    need === 'subgroups'
      ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);'
      : `requires ${need};`,
  );
  const declarations = list.map(
    ({ access, carrier }, n) =>
      `@group(0) @binding(${n}) var<storage, ${access}> binding_${n}: array<${carrier.element}>;`,
  );
  const slot = slotFields(scope);
  if (slot.length > 0) {
    declarations.push(
      `struct Slot { ${slot.map(({ name, type }) => `${name}: ${type}`).join(', ')} }`,
      `@group(0) @binding(${list.length}) var<uniform> slot: Slot;`,
    );
  }
  declarations.push(...scope.shared.map(declaration));
  for (const [name, { shape, count }] of scope.scratch)
    declarations.push(`var<workgroup> ${name}: array<${nameOf(shape)}, ${count}>;`);
  const head = [...directives, ...declarations].map((line) => `${line}\n`).join('');
  const prelude = scope.prelude.text;
  const inputs = [
    '@builtin(local_invocation_index) lane: u32',
    '@builtin(workgroup_id) group: vec3<u32>',
    ...(needs.includes('subgroups') ? ['@builtin(subgroup_invocation_id) sub_lane: u32'] : []),
  ];
  const main = `@compute @workgroup_size(${kernel.lanes})
fn main(${inputs.join(', ')}) {
${[...variables(scope).map((line) => `  ${line}`), ...scope.code.lines].join('\n')}
}
`;
  return [`${head}`, ...(prelude === '' ? [] : [prelude]), main].join('\n');
}

interface SlotField {
  readonly name: string;
  /** As the slot has it: a bool is a number there. */
  readonly type: string;
  readonly value: string;
  readonly isVariable: boolean;
}

/** In the order of the slot: bases and lengths of views, then scalars. */
function slotFields({ kernel, views, locals }: WgslScope): readonly SlotField[] {
  const { variables } = localKinds(kernel);
  const word = (name: string): SlotField => {
    return { name, type: 'u32', value: `slot.${name}`, isVariable: false };
  };
  const fields = views.flatMap(({ name }) => [word(`${name}_base`), word(`${name}_length`)]);
  for (const param of kernel.params) {
    if (!('local' in param)) continue;
    const name = locals[param.local]!;
    const type = typeName(kernel.locals[param.local]!.type);
    const isBool = type === 'bool';
    fields.push({
      name,
      type: isBool ? 'u32' : type,
      value: isBool ? `slot.${name} != 0u` : `slot.${name}`,
      isVariable: variables.has(param.local),
    });
  }
  return fields;
}

function variables(scope: WgslScope): readonly string[] {
  const { kernel, locals, viewNames, privates, code } = scope;
  const text = slotFields(scope).map(
    ({ name, value, isVariable }) => `${isVariable ? 'var' : 'let'} ${name} = ${value};`,
  );
  if (code.lines.some((line) => line.includes('zero_bits'))) text.push('var zero_bits = 0u;');
  const params = new Set(kernel.params.map((param) => ('local' in param ? param.local : -1)));
  for (const local of localKinds(kernel).variables) {
    if (params.has(local)) continue;
    text.push(declared(locals[local]!, typeName(kernel.locals[local]!.type)));
  }
  kernel.views.forEach(({ origin }, view) => {
    if (origin === 'param') return;
    text.push(declared(`${viewNames[view]}_base`, 'u32'));
    text.push(declared(`${viewNames[view]}_length`, 'u32'));
  });
  kernel.privates.forEach(({ type }, id) => {
    for (const name of privates[id]!) text.push(declared(name, typeName(type)));
  });
  return text;
}
