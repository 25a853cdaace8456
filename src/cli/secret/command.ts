import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { listVariables } from '../../config/entry/variable-uses.ts';
import { loadConfig } from '../../config/load-config.ts';
import { checkVariableName, openSecretStore } from '../../config/secrets/secret-store.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { createSecretInput } from '../arguments/secret-input.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { unknownSubcommand } from '../unknown-command.ts';

/** Runs `switchboard secret set|list|remove`. No command shows a value. */
export async function secret([verb, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (verb) {
    case 'set':
      return setSecret(parse('set', args), context);
    case 'list':
    case undefined:
      return listSecrets(parse('list', args), context);
    case 'remove':
      return removeSecret(parse('remove', args), context);
    default:
      throw unknownSubcommand(`${programName()} secret`, verb, Object.keys(VERBS));
  }
}

const VERBS = { set: ['<name>'], list: [], remove: ['<name>'] } as const;

function parse(verb: keyof typeof VERBS, args: readonly string[]): Arguments {
  const positionals = VERBS[verb];
  return parseArguments(args, {
    command: `switchboard secret ${verb}`,
    positionals,
    requiredPositionals: positionals.length,
  });
}

async function setSecret({ positionals: [name = ''], isJson }: Arguments, context: CommandContext): Promise<void> {
  const rules = { command: 'switchboard secret set', positionals: VERBS.set };
  // A value on the command line would be visible to other users and in the shell's history.
  if (name.includes('=')) throw usageError(rules, 'Give only the name. The value is read from stdin, or asked for.');
  const fault = checkVariableName(name);
  if (fault !== undefined) throw usageError(rules, `${quoteIfNeeded(name)} is not the name of a variable: ${fault}.`);
  const input = createSecretInput({ input: process.stdin, output: process.stderr });
  const value = await input.readLine(`value of ${name}`, 'Give the value on stdin, or run this on a terminal.');
  const store = openSecretStore(environmentOf(context));
  const isReplaced = store.set(name, value);
  if (isJson) return context.output.answer(toJson({ name, replaced: isReplaced, file: store.file }));
  context.output.answer(`${isReplaced ? 'Replaced' : 'Stored'} ${name}. ${PRECEDENCE}`);
  if ((await usersOf(name, context)).length > 0) return;
  context.output.report(
    `No server uses ${name} yet. To pass it to one, run: ${programName()} set <server> env_vars=${name}`,
  );
}

/** Returns the ids of the servers whose entry names the variable. */
async function usersOf(name: string, context: CommandContext): Promise<readonly string[]> {
  return namedBy(await usableEntries(context), name);
}

async function usableEntries(context: CommandContext): Promise<readonly ServerEntry[]> {
  const { servers } = await loadConfig(environmentOf(context));
  return servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
}

function namedBy(entries: readonly ServerEntry[], name: string): readonly string[] {
  return entries.filter((entry) => listVariables(entry).includes(name)).map(({ id }) => id);
}

const PRECEDENCE = 'Servers that use this variable get this value unless the client sets its own.';

async function listSecrets({ isJson }: Arguments, context: CommandContext): Promise<void> {
  const environment = environmentOf(context);
  const names = Object.keys(openSecretStore(environment).readAll()).sort();
  const entries = await usableEntries(context);
  const secrets = names.map((name) => {
    return { name, servers: namedBy(entries, name), setHere: (context.env[name] ?? '') !== '' };
  });
  if (isJson) return context.output.answer(toJson({ secrets }));
  if (secrets.length === 0)
    return context.output.answer(`No secrets are stored.\nStore one: ${programName()} secret set <name>`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = secrets.map(({ name, servers: users, setHere }) => {
    const use = users.length === 0 ? 'no server uses it' : `used by ${users.map(quoteIfNeeded).join(', ')}`;
    return `${name.padEnd(width)}  ${use}${setHere ? '; this shell sets another value, which takes precedence' : ''}`;
  });
  context.output.answer(lines.join('\n'));
}

async function removeSecret({ positionals: [name = ''], isJson }: Arguments, context: CommandContext): Promise<void> {
  const store = openSecretStore(environmentOf(context));
  if (!store.remove(name)) throw unknownSecret(name, Object.keys(store.readAll()));
  if (isJson) return context.output.answer(toJson({ name, removed: true }));
  context.output.answer(`Removed ${name}.`);
}

function unknownSecret(name: string, known: readonly string[]): AppError {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? `See: ${programName()} secret list` : `Did you mean ${near}?`;
  return new AppError('USAGE', `No secret ${quoteIfNeeded(name)} is stored. ${hint}`);
}
