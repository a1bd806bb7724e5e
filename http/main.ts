#!/usr/bin/env node
/**
 * The `loom-serve` command. Nothing here but the way in and the way out: the work of each
 * subcommand is in cli/.
 */
import { runCommand } from './cli/program.js';

// The log writes asynchronously; `exit` flushes it and ends threads that a failed start left.
process.exit(await runCommand(process.argv.slice(2)));
