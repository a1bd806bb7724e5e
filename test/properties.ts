/**
 * fast-check for all tests. A test run tries the same cases every time, so that it says the same of
 * the same tree; `LOOM_SEED=random` tries others, `LOOM_SEED=N` those that a report names.
 */
import fc from 'fast-check';

const asked = process.env.LOOM_SEED ?? '20260';
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

export default fc;
