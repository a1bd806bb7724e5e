/**
 * Task of the pool: elaborates and compiles one stage, or a loader, under its configuration. A pure
 * function of plain data. Each pool thread keeps its last artefacts, by the identity of everything
 * that went into them.
 */
import { StatusError } from '../base/errors.js';
import { compileCommand } from '../jit/compile-command.js';
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
  const { bytes, reflection } = compileCommand(program);
  const limit = declaration.workspaceLimitBytes;
  named(declaration, () => {
    if (limit === null || reflection.workspaceBytes <= limit) return;
    throw new StatusError(
      'resourceExhausted',
      `it needs ${reflection.workspaceBytes} bytes of workspace; the package allows ${limit} (prepare.workspace_limit)`,
    );
  });
  return { module: new WebAssembly.Module(bytes), reflection };
}
