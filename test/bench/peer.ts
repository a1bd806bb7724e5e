/**
 * Peers that benchmarks compare with. They have their own lock in test/bench and `npm ci` of the
 * repository never installs them, so a benchmark asks for one and goes on without it.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './server-process.js';

/** The package, or null when it is not installed; says how to install it. */
export function peer<Module>(name: string): Module | null {
  const require = createRequire(join(root, 'test/bench/package.json'));
  try {
    return require(name) as Module;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    console.log(`${name} is not installed, so nothing is compared: npm run bench:peers`);
    return null;
  }
}
