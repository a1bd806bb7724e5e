/**
 * Links one host program of a package: the exported functions of its primary file and all that they
 * reach. Checks the entries of the profile and the signatures of every capability import, so that
 * what is wrong is told at registration, with positions, and not by the first request.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import { LoomError } from '../loom/diagnostics.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import { bindConfiguration } from '../loom/elaborate/configuration.js';
import { elaborateHost } from '../loom/elaborate/elaborate.js';
import type { Elaborated } from '../loom/elaborate/elaborate.js';
import type { HostProgram } from '../loom/typed.js';
import { capabilityTable } from '../modules/modules.js';
import { signatureText } from '../profiles/profile.js';
import type { EntrySignature } from '../profiles/profile.js';
import { bindCapabilities } from '../vm/capability.js';
import { checkEntry } from '../vm/host-vm.js';
import type { Bindings } from './artefacts.js';

export interface LinkOptions {
  readonly primary: string;
  /** Entries that the program must export. */
  readonly entries: readonly EntrySignature[];
  /** Entries that it may export. */
  readonly optional?: readonly EntrySignature[];
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
}

export function linkHost(catalog: Catalog, options: LinkOptions): HostProgram {
  const { primary, entries, optional = [], bindings, facts } = options;
  const configuration = { target: facts, bindings: bindConfiguration(catalog, bindings) };
  const program = programOf(catalog, elaborateHost(catalog, primary, configuration));
  for (const entry of entries) {
    if (program.entries[entry.name] === undefined) throw missingEntry(program, primary, entry);
    checkEntry(program, entry);
  }
  for (const entry of optional) {
    if (program.entries[entry.name] !== undefined) checkEntry(program, entry);
  }
  bindCapabilities(program.imports, capabilityTable(primary, {}), program.files);
  return program;
}

/** The catalog's first file need not be the primary one, so the message is made here. */
function missingEntry(program: HostProgram, primary: string, entry: EntrySignature): StatusError {
  const exported = Object.keys(program.entries).sort().join(', ') || 'none';
  return new StatusError(
    'invalidArgument',
    `${primary} exports no '${entry.name}'; the contract asks for ${signatureText(entry)} (it exports ${exported})`,
    { where: primary },
  );
}

/** The program of an elaboration, or one error with all of its diagnostics. */
export function programOf<Program>(catalog: Catalog, elaborated: Elaborated<Program>): Program {
  const { program, diagnostics } = elaborated;
  if (program !== null && diagnostics.length === 0) return program;
  throw new LoomError(diagnostics, catalog.source);
}
