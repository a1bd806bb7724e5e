/**
 * Oracle functions of cases: `name(input: buffer) -> buffer` exported by a host program of the
 * package, which gets one request packet (also through the `input` capabilities) and gives one row
 * of f32. Interpreted, so it shares no code path with the device.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import { bufferFunctions } from '../modules/buffer.js';
import { inputFunctions } from '../modules/input.js';
import { capabilityTable } from '../modules/modules.js';
import { optionsFunctions } from '../modules/options.js';
import { RequestPacket } from '../profiles/request-packet.js';
import { Tokenizer } from '../tokenizer/tokenizer.js';
import { HostVm } from '../vm/host-vm.js';
import type { PackageSource } from './artefacts.js';
import type { Oracle } from './check-case.js';
import { linkHost } from './link-host.js';
import { parseSources } from './load-package.js';
import type { LoadedPackage } from './load-package.js';
import { packageBindings } from './package-configuration.js';
import type { PackageFiles } from './package-files.js';

export interface OracleContext {
  readonly loaded: LoadedPackage;
  readonly files: PackageFiles;
  readonly facts: TargetFacts;
}

/** Steps that an oracle may take: it runs a model's whole arithmetic in an interpreter. */
const oracleFuel = 2_000_000_000;

export function caseOracle(context: OracleContext): Oracle {
  const { loaded, files } = context;
  const { tokenizer: asset } = loaded.document.assets;
  const tokenizer = asset === undefined ? null : new Tokenizer(files.read(asset), asset);
  const instances = new Map<string, OracleInstance>();
  return (program, name, packet) => {
    const key = `${program}:${name}`;
    const instance =
      instances.get(key) ?? new OracleInstance({ ...context, program, name, tokenizer });
    instances.set(key, instance);
    return instance.row(packet);
  };
}

interface InstanceOptions extends OracleContext {
  readonly program: string;
  readonly name: string;
  readonly tokenizer: Tokenizer | null;
}

class OracleInstance {
  readonly #vm: HostVm;
  readonly #name: string;
  #packet: RequestPacket | null = null;

  constructor(options: InstanceOptions) {
    const { loaded, files, facts, program, name, tokenizer } = options;
    const primary = files.name(program);
    const sources = withSource(loaded.sources, { file: primary, bytes: files.read(program) });
    const catalog = parseSources(sources);
    const signature = { name, params: ['buffer'], results: ['buffer'] };
    this.#name = name;
    this.#vm = HostVm.create({
      program: linkHost(catalog, {
        primary,
        entries: [{ program: 'control', ...signature }],
        bindings: packageBindings({ catalog, config: loaded.config }, facts),
        facts,
      }),
      executor: 'interpret',
      capabilities: capabilityTable('an oracle', {
        buffer: bufferFunctions,
        input: inputFunctions({ packet: () => this.#packet, tokenizer }),
        options: optionsFunctions(),
      }),
      limits: { fuel: oracleFuel },
    });
  }

  row(packet: Uint8Array): Float32Array {
    this.#packet = new RequestPacket(packet);
    const [bytes] = this.#vm.call(this.#name, [packet]) as [Uint8Array];
    if (bytes.length % 4 !== 0) {
      throw new StatusError(
        'internal',
        `oracle '${this.#name}' gave ${bytes.length} bytes; rows are f32`,
      );
    }
    return new Float32Array(bytes.slice().buffer);
  }
}

/** The package's own files, and the oracle's if it is not one of them. */
function withSource(
  sources: readonly PackageSource[],
  extra: PackageSource,
): readonly PackageSource[] {
  return sources.some((source) => source.file === extra.file) ? sources : [...sources, extra];
}
