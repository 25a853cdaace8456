import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { AuthStore } from '../../../auth/store/auth-store.ts';
import { AppError } from '../../../base/errors.ts';
import { isSecretName } from '../../../base/redaction/redact.ts';
import { dataFile, type Environment } from '../../../config/files/folders.ts';
import { toProblem } from '../../../config/problem.ts';
import { entryVariables } from '../../../config/resolve/entry-variables.ts';
import { expandVariables } from '../../../config/resolve/expand-variables.ts';
import { lookUpVariable } from '../../../config/resolve/server-environment.ts';
import type { ConfigProblem, HttpSettings } from '../../../config/server-entry.ts';
import type { ServerRow } from './rows.ts';

/** Authentication of servers, as far as files show it. */
export interface AuthStates {
  of(row: ServerRow): string;
  readonly problems: readonly ConfigProblem[];
}

/** Opens the sign-in store only if it exists and a server could be in it. */
export async function openAuthStates(rows: readonly ServerRow[], environment: Environment): Promise<AuthStates> {
  const problems: ConfigProblem[] = [];
  const file = dataFile(environment, 'mcp-auth.json');
  const isOfInterest = rows.some(({ settings }) => settings?.kind === 'http') && existsSync(file);
  const store = isOfInterest
    ? (await import('../../../auth/store/auth-store.ts')).openAuthStore(environment)
    : undefined;
  return {
    problems,
    of(row) {
      if (row.settings?.kind !== 'http') return 'none';
      const unsigned = row.settings.oauth === undefined ? 'none' : 'oauth not signed in';
      try {
        const { expandsVariables } = row;
        const variables = entryVariables({ transport: row.settings, expandsVariables }, environment);
        const known = configuredAuth(row.settings, variables, environment);
        if (known !== undefined) return known;
        return (
          (store && signInState(store, row.id, urlOf(row, row.settings, { ...environment, env: variables }))) ??
          unsigned
        );
      } catch (error) {
        const problem = toProblem(error);
        // An unreadable file causes the same problem for every row.
        if (!problems.some((known) => isDeepStrictEqual(known, problem))) problems.push(problem);
        return 'unknown';
      }
    },
  };
}

/**
 * Returns the authentication that the entry itself configures, and where the value comes from. `variables` includes the
 * stored secrets that the entry names.
 */
function configuredAuth(
  { headers, headerEnv, bearerTokenEnv }: HttpSettings,
  variables: Environment['env'],
  { env, platform }: Environment,
): string | undefined {
  const placeOf = (name: string) => {
    if (lookUpVariable(env, name, platform)) return 'environment';
    return lookUpVariable(variables, name, platform) ? 'secret store' : 'not set';
  };
  const variable = (name: string) => `$${name} (${placeOf(name)})`;
  if (bearerTokenEnv !== undefined) return `bearer from ${variable(bearerTokenEnv)}`;
  const [, named] = Object.entries(headerEnv).find(([name]) => isSecretName(name)) ?? [];
  if (named !== undefined) return `header from ${variable(named)}`;
  return Object.keys(headers).some((name) => isSecretName(name)) ? 'header' : undefined;
}

function signInState(store: AuthStore, id: string, url: string): string | undefined {
  const record = store.read(id, url);
  if (record === undefined) return store.ignoredReason(id, url) === undefined ? undefined : 'oauth not signed in';
  const { accessToken, refreshToken, expiresAt } = record;
  if (accessToken === undefined && refreshToken === undefined) return 'oauth not signed in';
  const isOver = refreshToken === undefined && expiresAt !== undefined && expiresAt <= Date.now();
  return isOver ? 'oauth sign-in expired' : 'oauth signed in';
}

/** Returns the URL as connected; as written when a variable is missing. */
function urlOf({ expandsVariables }: ServerRow, { url }: HttpSettings, { env, platform }: Environment): string {
  const lookup = (name: string) => lookUpVariable(env, name, platform);
  const missing = (name: string) => new AppError('CONFIG_INVALID', `${name} is not set`);
  try {
    const address = new URL(expandsVariables ? expandVariables(url, { lookup, missingError: missing }) : url);
    address.hash = '';
    return address.href;
  } catch {
    // The server cannot connect now, and connecting reports the reason.
    return url;
  }
}
