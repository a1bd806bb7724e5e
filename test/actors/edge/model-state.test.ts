import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { modelStateOf } from '../../../actors/edge/model-state.js';
import type { DeploymentSummary } from '../../../actors/model/deployment.js';
import type { PackageLocation } from '../../../actors/protocol.js';

/** What is shown of a deployment at this place; nothing was prepared. */
function placeShown(location: Pick<PackageLocation, 'base' | 'checkpoint'> | null): string {
  const whole = location === null ? null : { ...location, document: { profile: 'text' } };
  const summary = {
    ...{ id: 'm', state: 'loading', generation: 0, prepared: null, failure: null },
    location: whole,
  } as unknown as DeploymentSummary;
  return modelStateOf(summary, { generation: null, device: null }).package;
}

test('a checkpoint is shown by its own path, a package by its folder', () => {
  const base = '/server/models/family';
  const rows: [checkpoint: PackageLocation['checkpoint'], place: string][] = [
    [undefined, base],
    [{ folder: '/data/tiny', gguf: null }, '/data/tiny'],
    [{ folder: '/data/files', gguf: 'tiny.gguf' }, '/data/files/tiny.gguf'],
  ];
  for (const [checkpoint, place] of rows) {
    assert.is(placeShown({ base, ...(checkpoint && { checkpoint }) }), place);
  }
  assert.is(placeShown(null), '');
});

test.run();
