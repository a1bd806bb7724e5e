/**
 * Task of the pool: links, checks and compiles the control program of a package. A pure function of
 * plain data; the artefact runs on any thread.
 */
import { compileHost } from '../jit/compile-host.js';
import { forecastEntry } from '../profiles/memory-forecast.js';
import { findProfile } from '../profiles/profiles.js';
import type { CompileControlInput, HostArtefact } from './artefacts.js';
import { linkHost } from './link-host.js';
import { parseSources } from './load-package.js';

export function compileControl(input: CompileControlInput): HostArtefact {
  const { primary, bindings, facts, forecast } = input;
  const { entries, optional } = findProfile(input.profile);
  const program = linkHost(parseSources(input.sources), {
    primary,
    entries: [
      ...entries.filter((entry) => entry.program === 'control'),
      ...(forecast === null ? [] : [forecastEntry(forecast)]),
    ],
    optional,
    bindings,
    facts,
  });
  const { bytes, metadata } = compileHost(program);
  return { program, module: new WebAssembly.Module(bytes), metadata };
}
