import type { AppError } from '../base/errors.ts';
import { SWITCHED_OFF, switchedOffBy, trustCommand } from '../config/merge.ts';
import { enableCommand, loginCommand, testCommand } from '../config/next-command.ts';
import { place } from '../config/problem.ts';
import type { ConfiguredServer, Verdict } from '../config/server-entry.ts';
import type { UpstreamState } from '../upstream/state.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** What is the matter with a server, and what to type about it. Both are missing for one that is well. */
export interface Plight {
  readonly reason?: string | undefined;
  readonly next?: string | undefined;
}

/** What a person runs after looking at the entries of a project. */
export const TRUST_COMMAND = 'switchboard trust';

/** Of a server of the config; `upstream` when it is used. */
export function plightOf(server: ConfiguredServer, upstream: Upstream | undefined): Plight {
  if (upstream === undefined) return plightOfUnused(server);
  const { state, lastFall } = upstream;
  return { reason: reasonOf(state, lastFall), next: nextStep(state, server) };
}

/** How it stands with one that is not used; one that could be will be. */
export const STATE_OF_UNUSED = { usable: 'connecting', disabled: 'disabled', error: 'error' } as const;

/** Why a server is not simply ready. */
export function reasonOf(state: UpstreamState, lastFall?: AppError): string | undefined {
  switch (state.kind) {
    case 'ready':
      return undefined;
    case 'idle':
      return 'starts at its first call';
    case 'connecting':
      return lastFall && `started again after: ${lastFall.message}`;
    case 'disabled':
    case 'auth_required':
      return state.reason;
    case 'error':
      return state.error.message;
  }
}

function nextStep(state: UpstreamState, server: ConfiguredServer): string | undefined {
  if (state.kind === 'auth_required') return loginCommand(server);
  if (state.kind !== 'error') return undefined;
  const isWrittenWrong = state.error.code === 'SPAWN_FAILED' || state.error.code === 'CONFIG_INVALID';
  // What no file says cannot be looked up by a command.
  return isWrittenWrong || server.origin.layer === 'command-line' ? toEdit(server) : testCommand(server);
}

function plightOfUnused(server: ConfiguredServer): Plight {
  const { verdict } = server;
  switch (verdict.kind) {
    case 'usable':
      return {};
    case 'disabled':
      return plightOfDisabled(server, verdict);
    case 'error':
      return { reason: verdict.reason, next: toEdit(server) };
  }
}

function plightOfDisabled(server: ConfiguredServer, { reason, isUntrusted }: Verdict & { kind: 'disabled' }): Plight {
  if (isUntrusted) return { reason: 'untrusted', next: trustCommand(server.origin) };
  if (reason !== SWITCHED_OFF) return { reason };
  const why = server.origin.layer === 'command-line' ? reason : switchedOffBy(server.origin);
  return { reason: why, next: enableCommand(server) ?? toEdit(server) };
}

function toEdit({ origin: { layer, file, line } }: ConfiguredServer): string | undefined {
  return layer === 'command-line' ? undefined : `edit ${place(file, line)}`;
}
