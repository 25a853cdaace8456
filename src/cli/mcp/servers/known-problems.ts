import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { loginCommand, secretCommand, testCommand } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { StartFailure } from '../../../upstream/catalog-cache/failure-cache.ts';
import { missingVariables } from '../../setup/missing-variables.ts';
import { openAuthStates } from '../list/auth-state.ts';
import type { ServerRow } from '../list/rows.ts';
import { openServerCache } from './server-cache.ts';

/** Why a server is not expected to work, and the command that helps. */
export interface KnownProblem {
  readonly kind: 'variable' | 'sign-in' | 'failure';
  /** Continues a line that starts with the id of the server. */
  readonly reason: string;
  readonly next: string;
}

/**
 * Returns what files know about each server: missing variables, the last failed start, and a missing sign-in. Starts
 * nothing.
 */
export async function findKnownProblems(
  entries: readonly ServerEntry[],
  environment: Environment,
): Promise<ReadonlyMap<string, KnownProblem>> {
  const cache = openServerCache(environment);
  const auth = await openAuthStates(entries.map(toRow), environment);
  const problemOf = (entry: ServerEntry): KnownProblem | undefined => {
    const [variable] = readMissing(entry, environment);
    if (variable !== undefined) return variableProblem(variable);
    const failure = cache.readFailure(entry);
    if (failure !== undefined) return failureProblem(entry, failure);
    const state = auth.of(toRow(entry));
    return LACKS_SIGN_IN.has(state) ? { kind: 'sign-in', reason: state, next: loginCommand(entry) } : undefined;
  };
  return new Map(
    entries.flatMap((entry) => {
      const problem = problemOf(entry);
      return problem === undefined ? [] : [[entry.id, problem]];
    }),
  );
}

const LACKS_SIGN_IN: ReadonlySet<string> = new Set(['oauth not signed in', 'oauth sign-in expired']);

function toRow({ id, origin, transport, expandsVariables }: ServerEntry): ServerRow {
  return { id, origin, state: 'on', reason: undefined, settings: transport, expandsVariables };
}

/** Nothing is known to be missing if the secret store cannot be read, which `doctor` reports. */
function readMissing(entry: ServerEntry, environment: Environment): readonly string[] {
  try {
    return missingVariables(entry, environment);
  } catch {
    return [];
  }
}

function variableProblem(name: string): KnownProblem {
  return { kind: 'variable', reason: `needs ${quoteIfNeeded(name)}, which is not set`, next: secretCommand(name) };
}

function failureProblem(entry: ServerEntry, { code, message }: StartFailure): KnownProblem {
  if (code === 'SIGN_IN_NEEDED')
    return { kind: 'sign-in', reason: 'sign-in needed', next: loginCommand(entry, message) };
  const why = message.replace(/\.$/, '');
  return { kind: 'failure', reason: `its last start failed: ${why}`, next: testCommand(entry) };
}
