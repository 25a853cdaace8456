import type { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { DISABLED_IN_FILE, disabledBy, trustCommand } from '../../config/merge-files.ts';
import {
  enableCommand,
  loginCommand,
  testCommand,
  unsetVariableCommand,
  warmCommand,
} from '../../config/next-command.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ConfiguredServer, Verdict } from '../../config/server-entry.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import { isStillStarting, type StartFailure } from '../../upstream/catalog-cache/failure-cache.ts';
import type { UpstreamState } from '../../upstream/state.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Why a server is not working, and the command that helps. Both are undefined for a healthy server. */
export interface Diagnosis {
  readonly reason?: string | undefined;
  readonly next?: string | undefined;
}

/** The start of the reason for a server whose first start takes long. */
export const STILL_STARTING = 'still starting';

/** Returns the command that a user runs after reviewing the entries of a project, without the folder. */
export function plainTrustCommand(): string {
  return `${programName()} trust`;
}

/** A server in use. */
export interface LiveServer {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** Returns whether clients see a tool that the server lists. Default: they see all of them. */
  readonly isOffered?: ((tool: Definition) => boolean) | undefined;
  /** All processes of the server, including `upstream`. Default: only that one. */
  readonly processes?: readonly Upstream[] | undefined;
}

/** `degraded` means connected, but with a missing or incomplete list of tools, prompts or resources. */
export type DisplayedState = UpstreamState['kind'] | 'degraded' | 'disabled';

export function displayedState({ upstream: { state }, catalog }: LiveServer): DisplayedState {
  return state.kind === 'ready' && catalog.problems().length > 0 ? 'degraded' : state.kind;
}

/** Diagnoses a configured server. `live` is undefined if the server is not in use. */
export function diagnose(server: ConfiguredServer, live: LiveServer | undefined): Diagnosis {
  if (live === undefined) return diagnoseUnused(server);
  const { state, lastFailure, startFailure } = live.upstream;
  if (displayedState(live) === 'degraded') return { reason: live.catalog.problems().join('; '), next: toTest(server) };
  // A failure after the start is newer than a recorded start failure.
  const failure = lastFailure === undefined ? startFailure : undefined;
  return { reason: reasonOf(state, lastFailure, failure), next: nextCommand(state, server, failure) };
}

/** The displayed states of servers not in use. A usable server is about to be started. */
export const UNUSED_STATES = { usable: 'connecting', disabled: 'disabled', error: 'error' } as const;

/** Returns why a server is not ready, or undefined if it is ready. */
export function reasonOf(state: UpstreamState, lastFailure?: AppError, failure?: StartFailure): string | undefined {
  switch (state.kind) {
    case 'ready':
      return undefined;
    case 'idle':
      return 'starts at its first call';
    case 'connecting':
      if (lastFailure !== undefined) return `restarted after: ${lastFailure.message}`;
      return failure && reasonOfFailure(failure);
    case 'auth_required':
      return state.reason;
    case 'error':
      return failureReason(state.error);
  }
}

/** Returns the message without the command that sets a missing variable: that is the next command. */
export function failureReason({ message, data }: AppError): string {
  return data?.['variable'] === undefined ? message : message.replace(/ Run: .*$/s, '');
}

function reasonOfFailure(failure: StartFailure): string {
  if (!isStillStarting(failure)) return `not waited for, because its last start failed: ${failure.message}`;
  const { waitedSeconds } = failure;
  return waitedSeconds === undefined ? STILL_STARTING : `${STILL_STARTING} after ${waitedSeconds} s`;
}

/**
 * Returns the command to suggest for an enabled server in this state. `failure` is the failure of its last start, if
 * any.
 */
export function nextCommand(
  state: UpstreamState,
  server: ConfiguredServer,
  failure?: StartFailure,
): string | undefined {
  if (state.kind === 'auth_required') return loginCommand(server, state.reason);
  if (state.kind === 'connecting' && failure?.code === 'TIMED_OUT') return warmCommandFor(server);
  if (state.kind !== 'error') return undefined;
  const { code, data } = state.error;
  const setCommand = unsetVariableCommand(server, data);
  if (setCommand !== undefined) return setCommand;
  return code === 'SPAWN_FAILED' || code === 'CONFIG_INVALID' ? toEdit(server) : toTest(server);
}

/** Commands cannot look up a server that is not defined in a file. */
function toTest(server: ConfiguredServer): string | undefined {
  return server.origin.layer === 'command-line' ? undefined : testCommand(server);
}

/** Only this command caches the lists of a server whose start takes longer than clients wait and stay connected. */
function warmCommandFor(server: ConfiguredServer): string | undefined {
  return server.origin.layer === 'command-line' ? undefined : warmCommand(server);
}

function diagnoseUnused(server: ConfiguredServer): Diagnosis {
  const { verdict } = server;
  switch (verdict.kind) {
    case 'usable':
      return {};
    case 'disabled':
      return diagnoseDisabled(server, verdict);
    case 'error':
      return { reason: verdict.reason, next: toEdit(server) };
  }
}

function diagnoseDisabled(
  server: ConfiguredServer,
  { reason, isUntrusted }: Verdict & { kind: 'disabled' },
): Diagnosis {
  if (isUntrusted) return { reason: 'untrusted', next: trustCommand(server.origin) };
  if (reason !== DISABLED_IN_FILE) return { reason };
  const why = server.origin.layer === 'command-line' ? reason : disabledBy(server.origin);
  return { reason: why, next: enableCommand(server) ?? toEdit(server) };
}

function toEdit({ origin: { layer, file, line } }: ConfiguredServer): string | undefined {
  return layer === 'command-line' ? undefined : `edit ${formatLocation(file, line)}`;
}
