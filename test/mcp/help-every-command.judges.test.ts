import { test } from 'vitest';
import { commandTree } from '../../src/cli/completion/command-tree.ts';
import { trackProcesses } from '../processes.ts';
import { expectHelp } from './expect-help.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

/** Every command and subcommand, as words. */
const commands = Object.entries(commandTree.subcommands ?? {}).flatMap(([name, { subcommands = {} }]) => [
  [name],
  ...(['mcp', 'codex', 'secret', 'token'].includes(name) ? Object.keys(subcommands).map((word) => [name, word]) : []),
]);

test('help exists for every command and subcommand, as help <command> and with -h', async () => {
  const testbed = newTestbed();
  for (const words of commands) await expectHelp(testbed, words);
}, 120_000);
