import { isAppError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { Environment } from '../../../config/files/folders.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { entryVariables } from '../../../config/resolve/entry-variables.ts';
import { resolveHttp } from '../../../config/resolve/resolve-http.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { RunningStatus } from '../../../control/status/running-status.ts';
import { formatTimestamp } from '../../terminal/time.ts';
import { readDefinitions } from '../config/definitions.ts';
import { openAuthStates } from '../list/auth-state.ts';
import { toRows } from '../list/rows.ts';

/** Authentication of a server. Never contains a token. */
export interface SignIn {
  /** `oauth signed in`, `bearer from $TOKEN (environment)`, `none`. */
  readonly auth: string;
  /** Expiry of the token. */
  readonly expiresAt?: number;
  /** Whether the token is refreshed without a new sign-in. */
  readonly isRenewable?: boolean;
  readonly scopes?: readonly string[];
  /** Why the stored sign-in is unreadable. */
  readonly problems: readonly string[];
}

/**
 * Reads the sign-in for a gateway that runs elsewhere, perhaps with `--config`. Undefined if its entry no longer
 * exists.
 */
export async function readSignInOfRunning(
  id: string,
  { cwd, configFile, otherConfigFiles = [] }: Pick<RunningStatus, 'cwd' | 'configFile' | 'otherConfigFiles'>,
  environment: Environment,
): Promise<SignIn | undefined> {
  for (const file of [configFile, ...otherConfigFiles]) {
    const found = await readSignInFromFile(file, id, { ...environment, cwd });
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readSignInFromFile(
  file: string | undefined,
  id: string,
  environment: Environment,
): Promise<SignIn | undefined> {
  const { CODEX_MCP_WRAPPER_CONFIG: _, ...rest } = environment.env;
  const there = {
    ...environment,
    env: file === undefined ? rest : { ...rest, CODEX_MCP_WRAPPER_CONFIG: file },
  };
  try {
    return await readSignIn(id, await readDefinitions(there), there);
  } catch (error) {
    // The gateway's config file may be missing or broken by now; the rest of its status is still worth showing.
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/** Returns undefined for a stdio server, and for one that is in no file. */
export async function readSignIn(
  id: string,
  definitions: Definitions,
  environment: Environment,
): Promise<SignIn | undefined> {
  const row = toRows(definitions).find((one) => one.id === id);
  if (row?.settings?.kind !== 'http') return undefined;
  const view = await openAuthStates([row], environment);
  const auth = view.of(row);
  const problems = view.problems.map(({ file, message }) => `${escapeInvisible(file)}: ${message}`);
  const isSignedIn = auth.startsWith('oauth') && problems.length === 0;
  return { auth, ...(isSignedIn ? await readTokens(id, definitions, environment) : {}), problems };
}

export function signInLines(
  { auth, expiresAt, isRenewable, scopes, problems }: SignIn,
  now: number,
): readonly LabeledLine[] {
  const renewed = isRenewable === true ? ', then refreshed automatically' : '';
  return [
    ['auth', auth],
    ...(expiresAt === undefined ? [] : [['token ends', `${formatTimestamp(expiresAt, now)}${renewed}`] as const]),
    ...(scopes === undefined ? [] : [['scopes', scopes.map((scope) => oneLine(scope)).join(' ')] as const]),
    ...problems.map((problem) => ['problem', oneLine(problem)] as const),
  ];
}

/** A label and its text. */
export type LabeledLine = readonly [label: string, text: string];

type Tokens = Pick<SignIn, 'expiresAt' | 'isRenewable' | 'scopes'>;

async function readTokens(id: string, { servers }: Definitions, environment: Environment): Promise<Tokens> {
  const verdict = servers.find((server) => server.id === id)?.verdict;
  const url = verdict?.kind === 'usable' ? urlOf(verdict.entry, environment) : undefined;
  if (url === undefined) return {};
  const { openAuthStore } = await import('../../../auth/store/auth-store.ts');
  const record = openAuthStore(environment).read(id, url);
  if (record === undefined || (record.accessToken ?? record.refreshToken) === undefined) return {};
  const { expiresAt, refreshToken, scope } = record;
  return {
    ...(expiresAt === undefined ? {} : { expiresAt }),
    isRenewable: refreshToken !== undefined,
    ...(scope === undefined ? {} : { scopes: scope.split(' ').filter((word) => word !== '') }),
  };
}

/** Returns undefined when a variable of the URL is not set here, so that no sign-in can match. */
function urlOf(entry: ServerEntry, environment: Environment): string | undefined {
  try {
    return resolveHttp(entry, entryVariables(entry, environment), environment).url;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
