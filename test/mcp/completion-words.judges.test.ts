import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/completion/command-spec.ts';
import { commandTree, longForms, shortForms } from '../../src/cli/completion/command-tree.ts';
import { trackProcesses } from '../processes.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

/** The output of `switchboard <args>` on stdout and stderr, with wrapped lines joined. */
async function completionsFor(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await newTestbed().run(args);
  return (stdout + stderr).replaceAll(/(?<=\S)\n {10,}(?=\S)/g, ' ');
}

/** Each command in a help text, with its description. */
function listedIn(help: string): Readonly<Record<string, string>> {
  const rows = [...help.matchAll(/^ {2}([/a-z]+) +(\S.*)$/gm)];
  return Object.fromEntries(rows.map(([, name = '', summary = '']) => [name, summary]));
}

function summaries({ subcommands = {} }: CommandSpec): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(subcommands).map(([name, { summary }]) => [name, summary]));
}

/** The options of this command and of those subcommands that have no help of their own. */
function optionsOf({ options = [], subcommands = {} }: CommandSpec): readonly string[] {
  const included = Object.values(subcommands).filter(({ isIndependent }) => isIndependent !== true);
  return [...options, ...included.flatMap(optionsOf)];
}

const commands = Object.entries(longForms);
const verbs = Object.entries(commandTree.subcommands?.['mcp']?.subcommands ?? {});
const codexCommands = Object.entries(longForms.codex.subcommands ?? {}).filter(
  ([, { isIndependent }]) => isIndependent === true,
);

describe('completion offers exactly what exists', () => {
  test('the commands', async () => {
    const [, ownCommands = ''] = (await completionsFor('--help')).split('\nCommands:\n');
    expect(summaries({ summary: '', subcommands: longForms })).toEqual(listedIn(ownCommands));
  });

  test('the short forms of daily verbs, as in mcp', async () => {
    const [everyday = ''] = (await completionsFor('--help')).split('\nCommands:\n');
    const { subcommands = {} } = commandTree.subcommands?.['mcp'] ?? {};
    const [, others = ''] = /^ {2}Also: (.*)$/m.exec(everyday) ?? [];
    const described = Object.entries(listedIn(everyday));
    expect([...described.map(([name]) => name), ...others.split(', ')].toSorted()).toEqual(
      Object.keys(shortForms).toSorted(),
    );
    for (const [name, summary] of described) expect(subcommands[name]?.summary).toBe(summary);
    for (const [name, place] of Object.entries(shortForms))
      expect(place).toBe(commandTree.subcommands?.['mcp']?.subcommands?.[name === 'ps' ? 'status' : name]);
  });

  test('the verbs of mcp', async () => {
    expect(summaries(commandTree.subcommands?.['mcp'] ?? commandTree)).toEqual(
      listedIn(await completionsFor('mcp', '--help')),
    );
  });

  const rows = [
    ...commands
      .filter(([name]) => !['mcp', '/mcp', 'trust', 'untrust'].includes(name))
      .map(([name, place]) => ({ args: [name, '--help'], place })),
    // Their only list of options is this one.
    ...commands
      .filter(([name]) => ['trust', 'untrust'].includes(name))
      .map(([name, place]) => ({ args: [name, '-x'], place })),
    ...verbs.map(([name, place]) => ({ args: ['mcp', name, '--help'], place })),
    ...codexCommands.map(([name, place]) => ({ args: ['codex', name, '--help'], place })),
  ];

  test.each(rows)('the options of $args', async ({ args, place }) => {
    const help = await completionsFor(...args);
    const named = new Set([...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option));
    named.delete('--help');
    // An option of another command, which the text mentions.
    if (args[0] === 'token') named.delete('--http');
    const options = optionsOf(place).map((option) => option.split(' '));
    expect(options.map(([name]) => name).toSorted()).toEqual([...named].toSorted());
    const choices = [...help.matchAll(/^ {2}(--[a-z-]+) ([a-z-]+(?:\|[a-z-]+)+)/gm)].map(([, name, values]) => [
      name,
      values,
    ]);
    expect(options).toEqual(expect.arrayContaining(choices));
    const values = options.flatMap(([, value = '']) =>
      value.startsWith('<') ? [] : value.replace('…', '').split('|'),
    );
    expect(values.filter((value) => !help.includes(value))).toEqual([]);
  });

  test.each(verbs.filter(([, { subcommands }]) => subcommands !== undefined))(
    'the words below mcp %s',
    async (name, { subcommands = {} }) => {
      const help = await completionsFor('mcp', name, '--help');
      const named = new Set(
        [...help.matchAll(new RegExp(`switchboard mcp ${name} ([a-z]+)`, 'g'))].map(([, word]) => word),
      );
      expect(Object.keys(subcommands).toSorted()).toEqual([...named].toSorted());
    },
  );
});
