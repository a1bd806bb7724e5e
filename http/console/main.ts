/**
 * The console's page: makes the model and its views, and draws them once a frame when something
 * changed. Everything that takes time comes from here: there is no timer anywhere else.
 */
import { ChartView } from './chart-view.js';
import { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId } from './element.js';
import { HeadView } from './head-view.js';
import { LiveFeed } from './live-feed.js';
import { MemoryView } from './memory-view.js';
import { Panels } from './panels.js';
import { PlayerView } from './player-view.js';
import { RequestsView } from './requests-view.js';
import { ServerClient } from './server-client.js';
import { Shortcuts } from './shortcuts.js';
import { TimelineView } from './timeline-view.js';
import { TraceOpener } from './trace-opener.js';
import { TransitionsView } from './transitions-view.js';
import { TreeView } from './tree-view.js';
import { TurnView } from './turn-view.js';

let isStale = true;
const model = new ConsoleModel(() => (isStale = true));
const client = new ServerClient();
const panels = new Panels();
const feed = new LiveFeed(model, client, askToken);

const tree = new TreeView(model, (address) => {
  model.select(address);
  panels.showFrom('actors', 'chart');
});
const chart = new ChartView(model);
const transitions = new TransitionsView(model);
const timeline = new TimelineView(model);
const requests = new RequestsView(model, (id) => client.explain(id));
const player = new PlayerView(model);
const opener = new TraceOpener(model, () => timeline.showAll());
const views: readonly ConsoleView[] = [
  new HeadView(model),
  tree,
  chart,
  transitions,
  new TurnView(model),
  timeline,
  new MemoryView(model),
  requests,
  player,
];

byId('record').addEventListener('click', () => void feed.setRecording(!model.isRecording));
byId('open-trace').addEventListener('click', () => opener.choose());
byId('save-trace').addEventListener('click', () => void saveTrace());
byId('close-trace').addEventListener('click', () => {
  model.goLive();
  feed.restart();
});
byId('chart-in').addEventListener('click', () => chart.zoom(1.25));
byId('chart-out').addEventListener('click', () => chart.zoom(0.8));
byId('chart-fit').addEventListener('click', () => chart.fit());
byId('all-actors').addEventListener('click', () => model.select(null));
const shortcuts = new Shortcuts(byId('shortcuts') as HTMLDialogElement, [
  { key: '/', says: 'search actors, states and request ids', act: () => tree.search() },
  { key: 't', says: 'the tree of actors', act: () => panels.go('actors', () => tree.focus()) },
  { key: 'e', says: 'transitions', act: () => panels.go('events', () => transitions.focus()) },
  { key: 'q', says: 'requests', act: () => panels.go('queue', () => requests.focus()) },
  { key: 'a', says: 'transitions of all actors', act: () => model.select(null) },
  { key: ' ', says: 'play or pause', act: () => player.toggle() },
  { key: '.', says: 'one step forward', act: () => player.stepForward() },
  { key: ',', says: 'one step back', act: () => player.stepBack() },
  { key: 'r', says: 'record, or stop it', act: () => void feed.setRecording(!model.isRecording) },
  { key: 'o', says: 'open a trace', act: () => opener.choose() },
  { key: 'f', says: 'fit the chart', act: () => chart.fit() },
  { key: '+', says: 'more of the timeline’s detail', act: () => timeline.zoom(0.5) },
  { key: '-', says: 'more of the timeline’s time', act: () => timeline.zoom(2) },
]);
byId('help').addEventListener('click', () => shortcuts.show());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => model.changed());

function askToken(why: string): void {
  const dialog = byId('token') as HTMLDialogElement;
  byId('token-why').textContent = why;
  if (dialog.open) return;
  dialog.showModal();
  dialog.onclose = () => {
    client.useToken((byId('token-text') as HTMLInputElement).value);
    feed.lookNow();
  };
}

async function saveTrace(): Promise<void> {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await client.trace());
  link.download = 'server.loom-trace';
  link.click();
  URL.revokeObjectURL(link.href);
}

let lastMs = 0;
let drawnMs = 0;

function frame(nowMs: number): void {
  // First, so that a fault in one frame is not the end of all.
  requestAnimationFrame(frame);
  feed.pass(nowMs);
  player.pass(nowMs - lastMs);
  lastMs = nowMs;
  if (isStale && nowMs - drawnMs >= 30) {
    isStale = false;
    drawnMs = nowMs;
    for (const view of views) view.draw();
  }
}
requestAnimationFrame(frame);
