import type { AppError, ErrorCode } from '../base/errors.ts';
import { checkCommand, loginCommand } from '../config/next-command.ts';
import type { ConfiguredServer, LoadedConfig } from '../config/server-entry.ts';
import type { UpstreamState } from '../upstream/state.ts';
import type { AggregateCatalog } from './catalog.ts';
import type { Member } from './member.ts';

/** How it stands with one server, for a person or an agent. */
export interface ServerStatus {
  readonly id: string;
  readonly state: UpstreamState['kind'];
  readonly reason?: string;
  /** What to do about it. */
  readonly next?: string;
  readonly configured: string;
  readonly where?: string;
  readonly protocolVersion?: string;
  readonly restarts?: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  /** Things that are not offered as the server listed them. */
  readonly changes: readonly { readonly name: string; readonly what: string }[];
  /** Tools that are not what they were when the server was last seen, the newest last. */
  readonly changedTools: readonly { readonly name: string; readonly what: string }[];
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly string[];
  readonly lastWords: readonly string[];
}

export interface StatusSources {
  readonly config: LoadedConfig;
  readonly members: readonly Member[];
  readonly catalog: AggregateCatalog;
}

export function describeServers({ config, members, catalog }: StatusSources): readonly ServerStatus[] {
  return config.servers.map((server) => {
    const member = members.find(({ upstream }) => upstream.id === server.id);
    return member === undefined ? describeUnused(server) : describeMember(server, member, catalog);
  });
}

/** The whole state, as the text of the status resource. */
export function statusText(sources: StatusSources): string {
  const problems = sources.config.problems.map(({ file, line, message }) => `${place(file, line)}: ${message}`);
  return JSON.stringify({ servers: describeServers(sources), problems }, undefined, 1);
}

function describeUnused({ id, origin, verdict }: ConfiguredServer): ServerStatus {
  const nothing = {
    tools: 0,
    prompts: 0,
    resources: 0,
    changes: [],
    changedTools: [],
    quarantined: [],
    problems: [],
    lastWords: [],
  };
  const configured = place(origin.file, origin.line);
  switch (verdict.kind) {
    case 'usable':
      return { id, state: 'connecting', configured, ...nothing };
    case 'disabled': {
      if (!verdict.isUntrusted) return { id, state: 'disabled', reason: verdict.reason, configured, ...nothing };
      const [reason = '', next = TRUST_COMMAND] = verdict.reason.split(': run ');
      return { id, state: 'disabled', reason, next, configured, ...nothing };
    }
    case 'error':
      return { id, state: 'error', reason: verdict.reason, next: `edit ${configured}`, configured, ...nothing };
  }
}

function describeMember(server: ConfiguredServer, member: Member, catalog: AggregateCatalog): ServerStatus {
  const { id, origin } = server;
  const { upstream, catalog: own } = member;
  const { state, facts, where, restarts } = upstream;
  const lists = [own.list('tools'), own.list('prompts'), own.list('resources'), own.list('resourceTemplates')] as const;
  const [tools, prompts, resources] = lists;
  return {
    id,
    state: state.kind,
    ...reasonOf(state, upstream.lastFall),
    ...(state.kind === 'error' ? { next: nextStep(state.error.code, server) } : {}),
    ...(state.kind === 'auth_required' ? { next: loginCommand(server) } : {}),
    configured: place(origin.file, origin.line),
    ...(where === undefined ? {} : { where }),
    ...(facts === undefined ? {} : { protocolVersion: facts.protocolVersion }),
    ...(restarts === 0 ? {} : { restarts }),
    tools: tools.items.length,
    prompts: prompts.items.length,
    resources: resources.items.length,
    changes: [
      ...catalog.remarks(member).map(({ name, text }) => ({ name, what: text })),
      ...lists.flatMap(({ repairs }) => repairs.map(({ name, repair }) => ({ name, what: repair }))),
    ],
    changedTools: member.changes.all(),
    quarantined: lists.flatMap(({ quarantined }) =>
      quarantined.map(({ name, reason }) => ({ name: name ?? '(no name)', reason })),
    ),
    problems: own.problems(),
    lastWords: state.kind === 'ready' ? [] : upstream.lastWords().slice(-LAST_WORDS),
  };
}

const LAST_WORDS = 5;

/** What a person runs after looking at the entries of a project. */
export const TRUST_COMMAND = 'switchboard trust';

/** What a person can do about a server that is down. */
function nextStep(code: ErrorCode, server: ConfiguredServer): string {
  const isWrittenWrong = code === 'SPAWN_FAILED' || code === 'CONFIG_INVALID';
  return isWrittenWrong ? `edit ${place(server.origin.file, server.origin.line)}` : `DEBUG=1 ${checkCommand(server)}`;
}

/** What stands beside the state of a server that is not well. */
export function reasonOf(state: UpstreamState, lastFall?: AppError): { readonly reason?: string } {
  switch (state.kind) {
    case 'ready':
      return {};
    case 'idle':
      return { reason: 'it is started at its first call' };
    case 'connecting':
      return lastFall === undefined ? {} : { reason: `started again after: ${lastFall.message}` };
    case 'disabled':
    case 'auth_required':
      return { reason: state.reason };
    case 'error':
      return { reason: state.error.message };
  }
}

function place(file: string, line: number): string {
  return line > 0 ? `${file}:${line}` : file;
}
