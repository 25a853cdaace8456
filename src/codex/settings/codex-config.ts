import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { toConfigError } from '../../config/problem.ts';
import { describeTomlError, parseToml, type TomlTable, type TomlValue } from './toml.ts';

/**
 * What a profile of Codex sets: `<name>.config.toml` beside Codex's config, or, as Codex had it before, the table
 * `[profiles.<name>]` in that config. Codex itself takes a profile that does not exist for an empty one.
 */
export async function readProfile(codexHome: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  if (name === '' || name.includes('..') || /[/\\\0]/.test(name))
    throw new AppError(
      'BAD_ARGUMENTS',
      `${quoteIfNeeded(name)} is no name of a profile: give a plain name such as work.`,
    );
  const file = join(codexHome, `${name}.config.toml`);
  const profile = await readToml(file);
  if (profile !== undefined) return profile;
  const config = join(codexHome, 'config.toml');
  const older = memberOf(memberOf(await readToml(config), 'profiles'), name);
  if (isTable(older)) return older;
  const table = `[profiles.${quoteIfNeeded(name)}] in ${escapeInvisible(config)}`;
  throw new AppError(
    'CONFIG_INVALID',
    `Codex has no profile ${quoteIfNeeded(name)}: there is neither ${escapeInvisible(file)} nor ${table}. Write the first of them, or leave the profile out.`,
    { data: { profile: name, file } },
  );
}

/** The servers that Codex starts as programs, in the order of its config. A config that cannot be read names none. */
export async function mcpServerNames(codexHome: string): Promise<readonly string[]> {
  try {
    const servers = memberOf(await readToml(join(codexHome, 'config.toml')), 'mcp_servers');
    if (!isTable(servers)) return [];
    return Object.keys(servers).filter((name) => typeof memberOf(servers[name], 'command') === 'string');
  } catch {
    // Codex complains of its own config, with the better words.
    return [];
  }
}

/** A file of Codex's own folder. Undefined when there is no such file. */
export function readCodexToml(codexHome: string, name: string): Promise<TomlTable | undefined> {
  return readToml(join(codexHome, name));
}

/** Undefined when there is no such file. */
async function readToml(file: string): Promise<TomlTable | undefined> {
  const content = readSmallFile(file);
  if (content === undefined) return undefined;
  try {
    return await parseToml(content.bytes.toString('utf8'));
  } catch (error) {
    // Without the cause, which quotes the lines around the fault, and they may hold a secret.
    throw toConfigError({ file, ...describeTomlError(error) });
  }
}

function memberOf(value: TomlValue | undefined, name: string): TomlValue | undefined {
  return isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}
