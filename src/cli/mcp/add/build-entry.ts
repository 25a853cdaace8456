import { AppError, isAppError } from '../../../base/errors.ts';
import { switchboardDialect } from '../../../config/dialects/switchboard.ts';
import { decodeEntry } from '../../../config/entry/decode-entry.ts';
import { parseJsonText } from '../../../config/json/json-value.ts';
import { resolveHttp } from '../../../config/resolve/resolve-http.ts';
import { isSecret, secretKeysInEntry } from '../../../config/secrets/secret-keys.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { usageError } from '../../arguments/parse-arguments.ts';
import type { SecretInput } from '../../arguments/secret-input.ts';
import type { AddRequest, HttpAddRequest, StdioAddRequest } from './parse-arguments.ts';
import { ADD_RULES } from './rules.ts';

export interface BuiltEntry {
  readonly entry: WrittenEntry;
  readonly warnings: readonly string[];
}

/**
 * Builds the entry with the keys of our config. Prompts for secrets without a value, in the order in which they were
 * given.
 */
export async function buildEntry({ transport, common }: AddRequest, secrets: SecretInput): Promise<BuiltEntry> {
  const warnings: string[] = [];
  const values = createValueReader(secrets, warnings);
  const settings = transport.kind === 'http' ? await buildHttp(transport, values) : await buildStdio(transport, values);
  const entry = { transport: transport.kind, ...settings, ...common };
  const open = secretKeysInEntry(entry).filter((key) => key === 'url' || key === 'args');
  for (const key of open)
    warnings.push(`${key} seems to contain a secret, which is visible on the command line and in process lists.`);
  return { entry, warnings };
}

/** Throws USAGE for an entry that the config reader would reject. */
export function validateEntry(id: string, entry: WrittenEntry): void {
  const text = JSON.stringify({ version: 1, mcp: { servers: { [id]: { ...entry, enabled: true } } } });
  const origin = { layer: 'project', file: '', line: 0 } as const;
  try {
    for (const { value } of switchboardDialect.readServers(parseJsonText('', Buffer.from(text)))) {
      const described = decodeEntry(value, { id, origin, dialect: switchboardDialect });
      if (described.kind === 'on') checkConnection(described.entry);
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { message = error.message } = error.data ?? {};
    throw usageError(ADD_RULES, String(message).replace(`mcp.servers.${id}.`, '').replace(' ().', '.'));
  }
}

/** Throws for an entry that would fail on connect. Ignores the values of variables. */
function checkConnection(entry: ServerEntry): void {
  const { transport } = entry;
  if (transport.kind !== 'http') return;
  const headers = { ...transport.headers, ...transport.headerEnv };
  const plain = { ...transport, headers, headerEnv: {}, bearerTokenEnv: undefined, oauth: undefined };
  resolveHttp({ ...entry, transport: plain }, {}, { platform: process.platform });
}

/** Reads the value of an option from the command line, stdin or a person. */
interface ValueReader {
  read(option: string, value: string | undefined, advice: PromptHints): Promise<string>;
}

interface PromptHints {
  /** Name of the value in the prompt: `token`, `value of the header X`. */
  readonly what: string;
  /** The option that keeps the value off the command line. */
  readonly stdin: string;
  readonly variable: string | undefined;
  readonly isSecret: (value: string) => boolean;
}

function createValueReader(secrets: SecretInput, warnings: string[]): ValueReader {
  return {
    async read(option, value, { what, stdin, variable, isSecret: looksSecret }) {
      const others = [
        `${stdin} to read it from stdin`,
        ...(variable === undefined ? [] : [`${variable} to name a variable`]),
      ];
      const usageMessage = `${option} has no value, and there is no terminal to prompt for it. Use ${others.join(', or ')}.`;
      if (value === undefined) return secrets.prompt(what, usageMessage);
      if (value === '-') return secrets.readLine(what, usageMessage);
      if (looksSecret(value))
        warnings.push(
          `the value of ${option} was on the command line, where other users and your shell history can see it. Use ${option} without a value to be prompted, or ${others.join(', or ')}.`,
        );
      return value;
    },
  };
}

async function buildHttp(added: HttpAddRequest, values: ValueReader): Promise<WrittenEntry> {
  const { url, headerEnv, bearerToken, bearerTokenEnv, oauth, clientSecret } = added;
  const headers = await readNamedValues(added.headers, { option: '--header', separator: /[=:]/, values });
  const always = () => true;
  if (bearerToken !== undefined) {
    const advice = {
      what: 'token',
      stdin: '--bearer-token -',
      variable: '--bearer-token-env-var VARIABLE',
      isSecret: always,
    };
    headers.set('Authorization', `Bearer ${await values.read('--bearer-token', bearerToken.value, advice)}`);
  }
  const secret = clientSecret && {
    client_secret: await values.read('--oauth-client-secret', clientSecret.value, {
      ...{ what: 'client secret', stdin: '--oauth-client-secret -', isSecret: always },
      variable: '--oauth-client-secret-env VARIABLE',
    }),
  };
  return {
    url,
    ...unlessEmpty('headers', Object.fromEntries(headers)),
    ...unlessEmpty('header_env', headerEnv),
    ...(bearerTokenEnv === undefined ? {} : { bearer_token_env_var: bearerTokenEnv }),
    ...unlessEmpty('oauth', { ...oauth, ...secret }),
  };
}

async function buildStdio({ command, args, cwd, env }: StdioAddRequest, values: ValueReader): Promise<WrittenEntry> {
  const variables = await readNamedValues(env, { option: '--env', separator: /=/, values });
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(cwd === undefined ? {} : { cwd }),
    ...unlessEmpty('env', Object.fromEntries(variables)),
  };
}

interface PairOptions {
  readonly option: '--header' | '--env';
  readonly separator: RegExp;
  readonly values: ValueReader;
}

async function readNamedValues(given: readonly string[], options: PairOptions): Promise<Map<string, string>> {
  const { option, separator, values } = options;
  const pairs = new Map<string, string>();
  for (const text of given) {
    const at = text.search(separator);
    const name = (at === -1 ? text : text.slice(0, at)).trim();
    if (name === '') throw new AppError('USAGE', `${option} takes name=value. See: switchboard mcp add --help`);
    if (pairs.has(name)) throw new AppError('USAGE', `${option} ${name} is given twice: give it once.`);
    // Other programs write headers as `Name: value`.
    const value = at === -1 ? undefined : text[at] === ':' ? text.slice(at + 1).trim() : text.slice(at + 1);
    pairs.set(
      name,
      await values.read(`${option} ${name}`, value, {
        what: option === '--env' ? `value of the variable ${name}` : `value of the header ${name}`,
        stdin: `${option} ${name}=-`,
        variable: option === '--header' ? `--header-env ${name}=VARIABLE` : undefined,
        isSecret: (found) => isSecret(name, found),
      }),
    );
  }
  return pairs;
}

function unlessEmpty(key: string, values: Readonly<Record<string, string>>): WrittenEntry {
  return Object.keys(values).length === 0 ? {} : { [key]: values };
}
