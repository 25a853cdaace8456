import { isAbsolute, relative } from 'node:path';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type Environment, resolvePath } from '../../../config/files/folders.ts';
import { realPathOf } from '../../../config/files/real-path.ts';
import { projectFolder, type Source } from '../../../config/files/sources.ts';
import { formatUrl } from '../../../config/secrets/masked-value.ts';
import { type Arguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseChoice } from '../../arguments/values.ts';
import { ADD_RULES, HTTP_ONLY, OAUTH_NAMES, STDIO_ONLY } from './rules.ts';

/** The request of `mcp add`, as far as it is known without prompting. */
export interface AddRequest {
  readonly transport: HttpAddRequest | StdioAddRequest;
  readonly common: Readonly<Record<string, unknown>>;
}

export interface HttpAddRequest {
  readonly kind: 'http';
  readonly url: string;
  /** As given: `name=value`, `name=-`, `name`. */
  readonly headers: readonly string[];
  readonly headerEnv: Readonly<Record<string, string>>;
  /** `value` undefined requires a prompt. */
  readonly bearerToken: { readonly value: string | undefined } | undefined;
  readonly bearerTokenEnv: string | undefined;
  /** With the keys of the config. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly clientSecret: { readonly value: string | undefined } | undefined;
}

export interface StdioAddRequest {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: readonly string[];
}

interface AddContext {
  /** The file that receives the entry. */
  readonly source: Source;
  readonly environment: Environment;
}

export function parseAddRequest(parsed: Arguments, context: AddContext): AddRequest {
  const kind = transportOf(parsed);
  const misplaced = (kind === 'http' ? STDIO_ONLY : HTTP_ONLY).find((name) => parsed.has(name));
  if (misplaced !== undefined)
    throw usageError(ADD_RULES, `${misplaced} applies only to ${kind === 'http' ? 'stdio' : 'HTTP'} servers.`);
  return { transport: kind === 'http' ? readHttp(parsed) : readStdio(parsed, context), common: readCommon(parsed) };
}

function transportOf(parsed: Arguments): 'http' | 'stdio' {
  const named = parseChoice(parsed, '--transport', { words: ['http', 'stdio'], rules: ADD_RULES });
  const hasUrl = parsed.positionals.length > 1 || parsed.has('--url');
  const hasCommand = parsed.command !== undefined || parsed.has('--command');
  const kind = named ?? (hasUrl ? 'http' : hasCommand ? 'stdio' : undefined);
  if (kind === undefined) throw usageError(ADD_RULES, 'A server needs a URL, or a command after --.');
  if (hasUrl && hasCommand) throw usageError(ADD_RULES, 'A server has a URL or a command, not both.');
  if (kind === 'http' && !hasUrl) throw usageError(ADD_RULES, '--transport http needs --url <url>.');
  if (kind === 'stdio' && !hasCommand) throw usageError(ADD_RULES, '--transport stdio needs --command <program>.');
  return kind;
}

function readHttp(parsed: Arguments): HttpAddRequest {
  const [, word] = parsed.positionals;
  const url = parsed.value('--url') ?? word ?? '';
  if (word !== undefined && parsed.has('--url')) throw usageError(ADD_RULES, 'The URL is given twice.');
  if (!isHttpUrl(url) && /^https?:\/\//i.test(url))
    throw usageError(ADD_RULES, `${formatUrl(url)} is not a valid URL: check its host and port.`);
  if (!isHttpUrl(url))
    throw usageError(ADD_RULES, `${formatUrl(url)} does not begin with http:// or https://. Put a command after --.`);
  const oauthNames = OAUTH_NAMES.filter((name) => name !== 'client-secret');
  const oauth = oauthNames.flatMap((name) => {
    const value = parsed.value(`--oauth-${name}`);
    if (value !== undefined && name.endsWith('-url') && !isHttpUrl(value))
      throw usageError(ADD_RULES, `--oauth-${name} must be a URL that begins with http:// or https://.`);
    return value === undefined ? [] : [[name.replaceAll('-', '_'), value]];
  });
  const secret = (name: string) => (parsed.has(name) ? { value: parsed.value(name) } : undefined);
  const found: HttpAddRequest = {
    ...{ kind: 'http', url, headers: texts(parsed, '--header'), headerEnv: readHeaderEnv(parsed) },
    ...{ bearerToken: secret('--bearer-token'), bearerTokenEnv: parsed.value('--bearer-token-env-var') },
    ...{ oauth: Object.fromEntries(oauth), clientSecret: secret('--oauth-client-secret') },
  };
  rejectConflicts(parsed, found);
  return found;
}

/** Rejects two options that set the same value. */
function rejectConflicts(
  parsed: Arguments,
  { bearerToken, bearerTokenEnv, clientSecret, oauth }: HttpAddRequest,
): void {
  const named = (option: string) =>
    texts(parsed, option).map((text) => {
      const name = text.replace(/[=:].*$/s, '').trim();
      return { option: `${option} ${quoteIfNeeded(name)}`, header: name.toLowerCase() };
    });
  const given = [
    ...named('--header'),
    ...named('--header-env'),
    ...(bearerToken === undefined ? [] : [{ option: '--bearer-token', header: 'authorization' }]),
    ...(bearerTokenEnv === undefined ? [] : [{ option: '--bearer-token-env-var', header: 'authorization' }]),
  ];
  for (const { header } of given) {
    const conflicts = given.filter((other) => other.header === header).map(({ option }) => option);
    if (conflicts.length > 1) throw usageError(ADD_RULES, `${conflicts.join(' and ')} set the same header: use one.`);
  }
  if (clientSecret !== undefined && 'client_secret_env' in oauth)
    throw usageError(ADD_RULES, '--oauth-client-secret and --oauth-client-secret-env set the same value: use one.');
}

function readHeaderEnv(parsed: Arguments): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts(parsed, '--header-env').map((text) => {
      const [, name, variable] = /^([^=:]+)=(.+)$/s.exec(text) ?? [];
      if (name === undefined || variable === undefined)
        throw usageError(ADD_RULES, '--header-env takes name=VARIABLE.');
      return [name, variable];
    }),
  );
}

function readStdio(parsed: Arguments, context: AddContext): StdioAddRequest {
  const [program, ...rest] = parsed.command ?? [];
  const args = texts(parsed, '--arg');
  if (parsed.command !== undefined && (parsed.has('--command') || args.length > 0))
    throw usageError(ADD_RULES, 'Give the command after --, or with --command and --arg, not both.');
  const command = parsed.value('--command') ?? program ?? '';
  if (command.trim() === '') throw usageError(ADD_RULES, 'The command is missing.');
  return {
    kind: 'stdio',
    command,
    args: parsed.command === undefined ? args : rest,
    cwd: cwdToWrite(parsed.value('--cwd'), context),
    env: texts(parsed, '--env'),
  };
}

/**
 * Returns the `cwd` to write. A project entry resolves it against the project folder. If that is above the working
 * directory, the path must lead down to it, so that `./server.js` means the same as where it was typed.
 */
function cwdToWrite(given: string | undefined, { source, environment }: AddContext): string | undefined {
  if (source.layer !== 'project') return given === undefined ? undefined : resolvePath(given, environment);
  const [project, here] = [projectFolder(source), realPathOf(environment.cwd, environment.platform)];
  if (project === here || (given !== undefined && (isAbsolute(given) || given.startsWith('~')))) return given;
  return relative(project, resolvePath(given ?? '.', { ...environment, cwd: here })) || '.';
}

function readCommon(parsed: Arguments): Readonly<Record<string, unknown>> {
  const enabled = parseChoice(parsed, '--enabled', { words: ['true', 'false'], rules: ADD_RULES });
  const timeout = parsed.value('--request-timeout-ms');
  if (timeout !== undefined && !/^[1-9]\d{0,9}$/.test(timeout))
    throw usageError(
      ADD_RULES,
      `--request-timeout-ms must be a number of milliseconds, not ${quoteIfNeeded(timeout)}.`,
    );
  const list = (key: string, name: string) => (parsed.has(name) ? { [key]: texts(parsed, name) } : {});
  return {
    ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    ...list('enabled_tools', '--allow-tool'),
    ...list('disabled_tools', '--deny-tool'),
    ...(timeout === undefined ? {} : { request_timeout_ms: Number(timeout) }),
  };
}

function texts(parsed: Arguments, name: string): readonly string[] {
  return parsed.values(name).filter((value) => value !== undefined);
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
