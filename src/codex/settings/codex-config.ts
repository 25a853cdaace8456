import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { toConfigError } from '../../config/problem.ts';
import { describeTomlError, parseToml, type TomlTable, type TomlValue } from './toml.ts';

/**
 * Reads the settings of a Codex profile: `<name>.config.toml` beside Codex's config, or, as in older versions, the
 * table `[profiles.<name>]` in that config. Throws if there is no such profile; Codex itself treats it as empty.
 */
export async function readProfile(codexHome: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  if (name === '' || name.includes('..') || /[/\\\0]/.test(name))
    throw new AppError(
      'BAD_ARGUMENTS',
      `${quoteIfNeeded(name)} is not a profile name: give a plain name such as work.`,
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
    `Codex has no profile ${quoteIfNeeded(name)}: there is neither ${escapeInvisible(file)} nor ${table}. Create the first of them, or leave the profile out.`,
    { data: { profile: name, file } },
  );
}

/** Returns the servers that Codex starts as programs, in config order. Returns none for an unreadable config. */
export async function mcpServerNames(codexHome: string): Promise<readonly string[]> {
  try {
    const servers = memberOf(await readToml(join(codexHome, 'config.toml')), 'mcp_servers');
    if (!isTable(servers)) return [];
    return Object.keys(servers).filter((name) => typeof memberOf(servers[name], 'command') === 'string');
  } catch {
    // Codex reports problems of its own config itself, with better messages.
    return [];
  }
}

/** Reads a TOML file in Codex's own folder. Returns undefined if the file does not exist. */
export function readCodexToml(codexHome: string, name: string): Promise<TomlTable | undefined> {
  return readToml(join(codexHome, name));
}

/** Returns undefined if the file does not exist. */
async function readToml(file: string): Promise<TomlTable | undefined> {
  const content = readSmallFile(file);
  if (content === undefined) return undefined;
  try {
    return await parseToml(content.bytes.toString('utf8'));
  } catch (error) {
    // Omits the cause: it quotes the lines around the error, which may contain a secret.
    throw toConfigError({ file, ...describeTomlError(error) });
  }
}

function memberOf(value: TomlValue | undefined, name: string): TomlValue | undefined {
  return isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}
