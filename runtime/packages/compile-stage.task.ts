/**
 * Task of the pool: elaborates and compiles one stage, or a loader, under its configuration. A pure
 * function of plain data. Each pool thread keeps its last artefacts, by the identity of everything
 * that went into them.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import { compileCommand } from '../jit/compile-command.js';
import { compileWgsl } from '../jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../jit/wgsl/wgsl-target.js';
import type { CommandProgram } from '../loom/typed.js';
import { elaborateLoader, elaborateStage } from '../loom/elaborate/elaborate.js';
import { ArtefactCache } from './artefact-cache.js';
import type { CompileStageInput, StageArtefact } from './artefacts.js';
import { programOf } from './link-host.js';
import { parseSources } from './load-package.js';
import { artefactKey } from './specialization-key.js';
import { checkRoot, named, stageConfiguration } from './stage-configuration.js';

const cache = new ArtefactCache<StageArtefact>(32);

export function compileStage(input: CompileStageInput): StageArtefact {
  return cache.use(artefactKey(input), () => compileFresh(input));
}

function compileFresh(input: CompileStageInput): StageArtefact {
  const { sources, declaration, bindings, facts } = input;
  const catalog = parseSources(sources);
  named(declaration, () => checkRoot(catalog, declaration));
  const configuration = stageConfiguration(catalog, { bindings, facts, declaration });
  const elaborate = declaration.kind === 'loader' ? elaborateLoader : elaborateStage;
  const program = programOf(catalog, elaborate(catalog, declaration.symbol, configuration));
  const artefact = codeFor(program, facts);
  const { reflection } = artefact;
  const limit = declaration.workspaceLimitBytes;
  named(declaration, () => {
    if (limit === null || reflection.workspaceBytes <= limit) return;
    throw new StatusError(
      'resourceExhausted',
      `it needs ${reflection.workspaceBytes} bytes of workspace; the package allows ${limit} (prepare.workspace_limit)`,
    );
  });
  return artefact;
}

/** Shaders where kernels run as SIMT threads, WebAssembly elsewhere. */
function codeFor(program: CommandProgram, facts: TargetFacts): StageArtefact {
  if (facts.simt) {
    const { program: wgsl, reflection } = compileWgsl(program, wgslTarget(facts));
    return { module: null, wgsl, reflection };
  }
  const { bytes, reflection } = compileCommand(program);
  return { module: new WebAssembly.Module(bytes), wgsl: null, reflection };
}
