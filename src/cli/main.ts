#!/usr/bin/env node
import { AppError } from '../base/errors.ts';
import { toExit } from '../base/translate.ts';
import { VERSION } from '../base/version.ts';
import { createOutput, type Output } from './output.ts';

/** What every command is given: the surroundings come in here, and commands do not look for them. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the package, with the examples in it. */
  readonly packageRoot: URL;
}

interface Command {
  readonly summary: string;
  /** Loaded when it is called: a start pays only for what it runs. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  tour: {
    summary: 'start an example MCP server, list and call its tools, and stop it again',
    run: async (_, context) => (await import('./commands/tour.ts')).tour(context),
  },
};

/** What the product will have; whoever asks for it should not think of a typing error. */
const COMING = new Set(['gateway', 'codex', 'mcp', 'trust', 'untrust', 'install', 'doctor', 'completion']);

await main(process.argv.slice(2), {
  output: createOutput(process.stdout, process.stderr),
  env: process.env,
  packageRoot: new URL('../../', import.meta.url),
});

async function main([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  try {
    if (name === '--') return await (await import('./commands/gateway.ts')).single(args, context);
    if (name === undefined || name === '--help' || name === '-h') return context.output.answer(help());
    if (name === '--version' || name === '-V') return context.output.answer(VERSION);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined)
      throw new AppError('USAGE', `There is no command ${JSON.stringify(name)}${COMING.has(name) ? ' yet' : ''}.`);
    if (args.includes('--help') || args.includes('-h'))
      return context.output.answer(`switchboard ${name}: ${command.summary}`);
    await command.run(args, context);
  } catch (error) {
    const { status, text } = toExit(error, { json: args.includes('--json') });
    context.output.complain(text);
    process.exitCode = status;
  }
}

function help(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    'Usage: switchboard <command>',
    '',
    ...lines,
    '',
    '  --version   print the version',
    '  --help      print this',
  ].join('\n');
}
