/**
 * What `loom-serve check` and `loom-serve report` need: the checks of a package against a real
 * server of its own, and the compile report of its stages without one.
 */
import type {
  CheckReport,
  PackageReport,
  StartedServer,
  StartOptions,
  ToolOptions,
} from '../../http/serving.js';
import { compileControl } from '../../runtime/packages/compile-control.task.js';
import { compileStage } from '../../runtime/packages/compile-stage.task.js';
import { checkPackage } from '../../runtime/packages/check-package.js';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import { LocalLauncher } from '../../runtime/packages/local-launcher.js';
import { closeSources } from '../../runtime/packages/package-checkpoints.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import type { PreparationPlan } from '../../runtime/packages/prepare-package.js';
import type { TextGeometry } from '../../runtime/profiles/text.js';
import { stageRows } from '../../runtime/jit/report.js';
import { stageSummary } from './model-state.js';
import { locatePackage } from './package-location.js';
import { generateTurn } from './text-turn.js';

const REQUEST_DEADLINE_MS = 60_000;

export async function checkWithServer(
  options: ToolOptions,
  start: (options: StartOptions) => Promise<StartedServer>,
): Promise<CheckReport> {
  const { ports, onProgress } = options;
  const body = { kind: 'package', package: options.package } as const;
  const location = locatePackage(body, options);
  // On the device that it names, wherever that one is.
  const { device } = location.document.deployment;
  const server = await start(device === 'auto' ? options : { ...options, device });
  try {
    await server.serving.register(body, { wait: true });
    const items = await checkPackage({
      document: location.document,
      files: openPackageFiles(location),
      async infer(body, signal) {
        const call = { requestId: ports.ids.next('check'), model: location.id, body };
        const deadlineMs = ports.clock.now() + REQUEST_DEADLINE_MS;
        return (await server.serving.infer(call, { signal, deadlineMs })).rows;
      },
      generate(turn, signal) {
        const deadlineMs = ports.clock.now() + REQUEST_DEADLINE_MS;
        const call = { requestId: ports.ids.next('check'), model: location.id };
        return generateTurn(server.text, turn, { ...call, signal, deadlineMs });
      },
      pause: (ms) => new Promise<void>((resolve) => ports.timers.start(ms, () => resolve())),
      onProgress,
      launchers: [new LocalLauncher()],
    });
    return { package: options.package, items };
  } finally {
    await server.serving.drain(REQUEST_DEADLINE_MS);
    await server.close();
  }
}

export async function reportOf(options: ToolOptions): Promise<PackageReport> {
  const body = { kind: 'package', package: options.package } as const;
  const location = locatePackage(body, options);
  const plan = preparePackage(location);
  // A report loads nothing.
  closeSources(plan.parameters.sources);
  const total = plan.stages.length + 1;
  const control = compileControl(plan.compileControl);
  options.onProgress(1, total, 'control program');
  const stages = plan.stages.map((declaration, ordinal) => {
    const { reflection } = compileStage(plan.compileStage(ordinal));
    options.onProgress(ordinal + 2, total, reflection.name);
    return { declaration, executable: '', reflection };
  });
  return {
    package: options.package,
    id: location.id,
    profile: location.document.profile,
    stages: stages.map(stageSummary),
    sections: [
      {
        title: 'package',
        rows: [
          { name: 'files', value: plan.sources.length },
          { name: 'functions of the control program', value: control.program.functions.length },
          ...sizeRows(plan),
          { name: 'state bytes', value: plan.state.image.length },
        ],
      },
      ...stages.map(({ reflection }) => ({
        title: `stage ${reflection.name}`,
        rows: stageRows(reflection),
      })),
    ],
  };
}

function sizeRows(plan: PreparationPlan) {
  const sizes =
    plan.contract === 'finite'
      ? {
          'units a cohort': plan.capacities.batchUnits,
          'upload bytes': plan.capacities.uploadBytes,
          'output bytes': plan.capacities.outputBytes,
          'result bytes': plan.capacities.resultBytes,
        }
      : textSizes(plan.geometry);
  return Object.entries(sizes).map(([name, value]) => ({ name, value }));
}

const textSizes = (geometry: TextGeometry) => ({
  rows: geometry.rows,
  'tokens of a row': geometry.context,
  'tokens of an epoch': geometry.tokens,
  'spans of an epoch': geometry.spans,
  'tokens of a page': geometry.pageTokens,
  'bytes of all pages': geometry.pages * geometry.pageBytes,
  'bytes of all states': geometry.states * geometry.stateBytes,
  'bytes of metadata': geometry.metadataBytes,
  'bytes of input': geometry.inputBytes,
  'bytes of the residual': geometry.residualBytes,
  'bytes of feedback': geometry.outputs * geometry.feedbackBytes,
  'tokens known': geometry.vocabulary,
});
