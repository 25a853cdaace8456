import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { isSecret } from '../../../config/secrets/secret-keys.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import type { SecretInput } from '../../arguments/secret-input.ts';
import { visibleSecretWarnings } from '../config/secret-warnings.ts';
import { createValueReader, type ValueReader } from '../config/value-reader.ts';
import type { AddRequest, HttpAddRequest, StdioAddRequest } from './parse-arguments.ts';

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
  return { entry, warnings: [...warnings, ...visibleSecretWarnings(entry)] };
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
    if (name === '') throw new AppError('USAGE', `${option} takes name=value. See: ${programName()} mcp add --help`);
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
