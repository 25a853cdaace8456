import { isAbsolute, relative } from 'node:path';
import { visibleWord } from '../../../base/text/visible-text.ts';
import { resolvePath, type Surroundings } from '../../../config/files/folders.ts';
import { realPathOf } from '../../../config/files/real-path.ts';
import { projectFolder, type Source } from '../../../config/files/sources.ts';
import { showAddress } from '../../../config/secrets/masked-value.ts';
import { type Arguments, fail } from '../../arguments/parse-arguments.ts';
import { readChoice } from '../config/change-result.ts';
import { ADD_RULES, HTTP_ONLY, OAUTH_NAMES, STDIO_ONLY } from './rules.ts';

/** What `mcp add` was asked for, as far as it is known without asking a person. */
export interface Addition {
  readonly transport: HttpAddition | StdioAddition;
  readonly common: Readonly<Record<string, unknown>>;
}

export interface HttpAddition {
  readonly kind: 'http';
  readonly url: string;
  /** As given: `name=value`, `name=-`, `name`. */
  readonly headers: readonly string[];
  readonly headerEnv: Readonly<Record<string, string>>;
  /** `value` undefined: to be asked for. */
  readonly bearerToken: { readonly value: string | undefined } | undefined;
  readonly bearerTokenEnv: string | undefined;
  /** Under the keys of the config. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly clientSecret: { readonly value: string | undefined } | undefined;
}

export interface StdioAddition {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: readonly string[];
}

interface Frame {
  /** The file that gets the entry. */
  readonly source: Source;
  readonly surroundings: Surroundings;
}

export function readAddition(asked: Arguments, frame: Frame): Addition {
  const kind = transportOf(asked);
  const alien = (kind === 'http' ? STDIO_ONLY : HTTP_ONLY).find((name) => asked.has(name));
  if (alien !== undefined)
    throw fail(ADD_RULES, `${alien} is for a server that is ${kind === 'http' ? 'a program' : 'reached by a URL'}.`);
  return { transport: kind === 'http' ? readHttp(asked) : readStdio(asked, frame), common: readCommon(asked) };
}

function transportOf(asked: Arguments): 'http' | 'stdio' {
  const named = readChoice(asked, '--transport', { words: ['http', 'stdio'], rules: ADD_RULES });
  const hasUrl = asked.words.length > 1 || asked.has('--url');
  const hasCommand = asked.command !== undefined || asked.has('--command');
  const kind = named ?? (hasUrl ? 'http' : hasCommand ? 'stdio' : undefined);
  if (kind === undefined) throw fail(ADD_RULES, 'A server needs a URL, or a command after --.');
  if (hasUrl && hasCommand) throw fail(ADD_RULES, 'A server has a URL or a command, not both.');
  if (kind === 'http' && !hasUrl) throw fail(ADD_RULES, '--transport http needs --url <address>.');
  if (kind === 'stdio' && !hasCommand) throw fail(ADD_RULES, '--transport stdio needs --command <program>.');
  return kind;
}

function readHttp(asked: Arguments): HttpAddition {
  const [, word] = asked.words;
  const url = asked.value('--url') ?? word ?? '';
  if (word !== undefined && asked.has('--url')) throw fail(ADD_RULES, 'The URL is there twice.');
  if (!isAddress(url) && /^https?:\/\//i.test(url))
    throw fail(ADD_RULES, `${showAddress(url)} is not a valid URL: check its host and port.`);
  if (!isAddress(url))
    throw fail(
      ADD_RULES,
      `${showAddress(url)} is not an address that begins with http:// or https://. A command stands after --.`,
    );
  const oauthNames = OAUTH_NAMES.filter((name) => name !== 'client-secret');
  const oauth = oauthNames.flatMap((name) => {
    const value = asked.value(`--oauth-${name}`);
    if (value !== undefined && name.endsWith('-url') && !isAddress(value))
      throw fail(ADD_RULES, `--oauth-${name} must be an address that begins with http:// or https://.`);
    return value === undefined ? [] : [[name.replaceAll('-', '_'), value]];
  });
  const secret = (name: string) => (asked.has(name) ? { value: asked.value(name) } : undefined);
  const found: HttpAddition = {
    ...{ kind: 'http', url, headers: texts(asked, '--header'), headerEnv: readHeaderEnv(asked) },
    ...{ bearerToken: secret('--bearer-token'), bearerTokenEnv: asked.value('--bearer-token-env-var') },
    ...{ oauth: Object.fromEntries(oauth), clientSecret: secret('--oauth-client-secret') },
  };
  refuseRivals(asked, found);
  return found;
}

/** Two that would say the same thing. */
function refuseRivals(asked: Arguments, { bearerToken, bearerTokenEnv, clientSecret, oauth }: HttpAddition): void {
  const named = (option: string) =>
    texts(asked, option).map((text) => {
      const name = text.replace(/[=:].*$/s, '').trim();
      return { option: `${option} ${visibleWord(name)}`, header: name.toLowerCase() };
    });
  const given = [
    ...named('--header'),
    ...named('--header-env'),
    ...(bearerToken === undefined ? [] : [{ option: '--bearer-token', header: 'authorization' }]),
    ...(bearerTokenEnv === undefined ? [] : [{ option: '--bearer-token-env-var', header: 'authorization' }]),
  ];
  for (const { header } of given) {
    const rivals = given.filter((other) => other.header === header).map(({ option }) => option);
    if (rivals.length > 1) throw fail(ADD_RULES, `${rivals.join(' and ')} are two values for one header: give one.`);
  }
  if (clientSecret !== undefined && 'client_secret_env' in oauth)
    throw fail(
      ADD_RULES,
      '--oauth-client-secret and --oauth-client-secret-env are two values for one thing: give one.',
    );
}

function readHeaderEnv(asked: Arguments): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts(asked, '--header-env').map((text) => {
      const [, name, variable] = /^([^=:]+)=(.+)$/s.exec(text) ?? [];
      if (name === undefined || variable === undefined) throw fail(ADD_RULES, '--header-env is written name=VARIABLE.');
      return [name, variable];
    }),
  );
}

function readStdio(asked: Arguments, frame: Frame): StdioAddition {
  const [program, ...rest] = asked.command ?? [];
  const args = texts(asked, '--arg');
  if (asked.command !== undefined && (asked.has('--command') || args.length > 0))
    throw fail(ADD_RULES, 'The command stands after -- or in --command and --arg, not both.');
  const command = asked.value('--command') ?? program ?? '';
  if (command.trim() === '') throw fail(ADD_RULES, 'The command is missing.');
  return {
    kind: 'stdio',
    command,
    args: asked.command === undefined ? args : rest,
    cwd: writtenFolder(asked.value('--cwd'), frame),
    env: texts(asked, '--env'),
  };
}

/**
 * As it stands in the file. In a project it counts from the folder of the project: one above the working folder needs the
 * way down to it, so that `./server.js` means the same as where it was typed.
 */
function writtenFolder(given: string | undefined, { source, surroundings }: Frame): string | undefined {
  if (source.layer !== 'project') return given === undefined ? undefined : resolvePath(given, surroundings);
  const [project, here] = [projectFolder(source), realPathOf(surroundings.cwd, surroundings.platform)];
  if (project === here || (given !== undefined && (isAbsolute(given) || given.startsWith('~')))) return given;
  return relative(project, resolvePath(given ?? '.', { ...surroundings, cwd: here })) || '.';
}

function readCommon(asked: Arguments): Readonly<Record<string, unknown>> {
  const enabled = readChoice(asked, '--enabled', { words: ['true', 'false'], rules: ADD_RULES });
  const timeout = asked.value('--request-timeout-ms');
  if (timeout !== undefined && !/^[1-9]\d{0,9}$/.test(timeout))
    throw fail(ADD_RULES, `--request-timeout-ms is a number of milliseconds, not ${visibleWord(timeout)}.`);
  const list = (key: string, name: string) => (asked.has(name) ? { [key]: texts(asked, name) } : {});
  return {
    ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    ...list('enabled_tools', '--allow-tool'),
    ...list('disabled_tools', '--deny-tool'),
    ...(timeout === undefined ? {} : { request_timeout_ms: Number(timeout) }),
  };
}

function texts(asked: Arguments, name: string): readonly string[] {
  return asked.values(name).filter((value) => value !== undefined);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
