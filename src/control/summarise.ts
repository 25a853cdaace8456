import { oneLine } from '../base/text.ts';
import { SWITCHED_OFF } from '../config/merge.ts';
import { enableCommand, loginCommand, testCommand } from '../config/next-command.ts';
import { place } from '../config/problem.ts';
import type { ConfiguredServer, Origin } from '../config/server-entry.ts';
import type { UpstreamState } from '../upstream/state.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { ServerState, ServerSummary } from './status.ts';

/** A server that is used: its connection, and how many tools it offers. */
export interface LiveServer {
  readonly upstream: Upstream;
  readonly tools: number;
  /** Takes secrets out of what the server said. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** One row about a server of the config; `live` when it is used. Cheap: asked while calls are under way. */
export function summarise(server: ConfiguredServer, live: LiveServer | undefined): ServerSummary {
  const { verdict, origin, id } = server;
  const entry = verdict.kind === 'usable' ? verdict.entry : undefined;
  const base = {
    id,
    transport: entry?.transport.kind ?? (verdict.kind === 'disabled' ? verdict.transport : undefined),
    source: origin.layer,
    enabled: entry !== undefined,
  };
  if (live === undefined) return { ...base, ...unused(server), tools: 0, calls: 0, underWay: 0 };
  const { upstream, tools } = live;
  const p50Ms = upstream.history.tally.p50Ms();
  return {
    ...base,
    ...described(server, live),
    tools,
    calls: upstream.history.tally.calls,
    underWay: upstream.callsUnderWay,
    ...(p50Ms === undefined ? {} : { p50Ms: Math.round(p50Ms * 10) / 10 }),
  };
}

interface Described {
  readonly state: ServerState;
  readonly note?: string;
  readonly next?: string;
}

function unused(server: ConfiguredServer): Described {
  const { verdict, origin } = server;
  switch (verdict.kind) {
    case 'usable':
      return { state: 'connecting' };
    case 'disabled': {
      if (!verdict.isUntrusted) return { state: 'disabled', note: shown(verdict.reason), ...toEnable(server) };
      const [note = '', next = 'switchboard trust'] = verdict.reason.split(': run ');
      return { state: 'disabled', note: shown(note), next };
    }
    case 'error':
      return { state: 'error', note: shown(verdict.reason), ...toEdit(origin) };
  }
}

function toEnable(server: ConfiguredServer): { readonly next?: string } {
  if (server.verdict.kind !== 'disabled' || server.verdict.reason !== SWITCHED_OFF) return {};
  const next = enableCommand(server);
  return next === undefined ? toEdit(server.origin) : { next };
}

function described(server: ConfiguredServer, { upstream, redact = (text) => text }: LiveServer): Described {
  const { state, lastFall } = upstream;
  const say = (text: string) => shown(redact(text));
  switch (state.kind) {
    case 'ready':
      return { state: 'ready' };
    // Its tools are there and can be called: whoever calls one starts it.
    case 'idle':
      return { state: 'ready', note: 'starts at its first call' };
    case 'connecting':
      return { state: 'connecting', ...(lastFall && { note: say(`started again after: ${lastFall.message}`) }) };
    case 'disabled':
      return { state: 'disabled', note: say(state.reason) };
    case 'auth_required':
      return { state: 'auth_required', note: say(withoutCommand(state.reason)), next: loginCommand(server) };
    case 'error':
      return { state: 'error', note: say(state.error.message), ...nextStep(state, server) };
  }
}

/** What no file says cannot be edited, nor looked up by a command. */
function nextStep({ error }: UpstreamState & { kind: 'error' }, server: ConfiguredServer): { readonly next?: string } {
  const isWrittenWrong = error.code === 'SPAWN_FAILED' || error.code === 'CONFIG_INVALID';
  if (isWrittenWrong || server.origin.layer === 'command-line') return toEdit(server.origin);
  return { next: testCommand(server) };
}

function toEdit({ layer, file, line }: Origin): { readonly next?: string } {
  return layer === 'command-line' ? {} : { next: `edit ${place(file, line)}` };
}

/** What to type stands beside the note. */
function withoutCommand(reason: string): string {
  return reason.split(' Run: ')[0] ?? reason;
}

const MAX_NOTE = 500;

function shown(text: string): string {
  return oneLine(text, MAX_NOTE);
}
