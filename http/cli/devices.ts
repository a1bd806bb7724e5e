/** `devices`: what `--device` can name on this machine, with features and limits. */
import type { Command } from 'commander';
import type { DeviceListing } from '../serving.js';
import type { ToolCommand } from './check.js';
import { exitCodes } from './outcome.js';

export function addDevices(program: Command, tool: ToolCommand): void {
  program
    .command('devices')
    .summary('list the devices of this machine')
    .description('Lists the devices that --device can name, with their features and limits.')
    .option('--json', 'print the list as JSON', false)
    .addHelpText('after', '\nExample:\n  loom-serve devices --json')
    .action(async (options: { json: boolean }) => {
      const { listDevices } = await tool.load();
      const devices = await listDevices();
      const text = options.json ? JSON.stringify(devices, null, 2) : devices.map(deviceText);
      tool.terminal.out(typeof text === 'string' ? text : text.join('\n\n'));
      tool.end(exitCodes.success);
    });
}

function deviceText({ device, description, rows }: DeviceListing): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, value }) => `  ${name.padEnd(width)}  ${value}`);
  return [device, `  ${description}`, ...lines].join('\n');
}
