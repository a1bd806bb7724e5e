/**
 * What virtual threads have where nothing shall fail: packages and checkpoints of disks, which are
 * read at once, and the simulated device, which runs the code of the local one.
 */
import { SimulatedDevice } from '../../runtime/hal/simulated/simulated-device.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import { closeFile } from '../../runtime/parameters/checkpoints/disk-parameter-file.js';
import type { SeededRandom } from '../../runtime/system/seeded-random.js';
import { runCompileTask } from '../../runtime/threads/compile-tasks.js';
import { runReadingTask } from '../../runtime/threads/reading-tasks.js';
import { openedDevice } from '../model/opened-device.js';
import { resolveChoice } from '../serving/preparer.js';
import { delays, type ThreadMeans } from './simulated-threads.js';

/** As the local device has where nobody says. */
const MEMORY_BYTES = 2 * 1024 ** 3;

export function simulatedMeans(random: SeededRandom, memoryBytes: number | null): ThreadMeans {
  const completion = () => ({ delayMs: random.next() * delays.command });
  return {
    prepare: preparePackage,
    resolve: resolveChoice,
    whole: (prepared) => prepared,
    loadable: (prepared) => prepared,
    compile: runCompileTask,
    read: (call) => {
      const outcome = runReadingTask(call);
      return { mostMs: delays.task, outcome: () => outcome };
    },
    closeFile,
    open: (ports) => () => {
      const device = new SimulatedDevice({
        ports,
        memoryBytes: memoryBytes ?? MEMORY_BYTES,
        completion,
      });
      return openedDevice({ device, ports, pool: new SlabPool(device.memory, { poison: false }) });
    },
  };
}
