import { place } from '../config/problem.ts';
import type { ConfiguredServer, LoadedConfig } from '../config/server-entry.ts';
import { plightOf, STATE_OF_UNUSED, TRUST_COMMAND } from '../control/plight.ts';
import type { UpstreamState } from '../upstream/state.ts';
import type { AggregateCatalog } from './catalog.ts';
import type { Member } from './member.ts';

/** How it stands with one server, for a person or an agent. */
export interface ServerStatus {
  readonly id: string;
  readonly state: UpstreamState['kind'];
  readonly reason?: string | undefined;
  /** What to do about it. */
  readonly next?: string | undefined;
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

/** It is used, or a person does not want it. One that waits for trust is neither. */
export function isAsWanted({ state, next }: ServerStatus): boolean {
  return state === 'ready' || (state === 'disabled' && next?.startsWith(TRUST_COMMAND) !== true);
}

/** The whole state, as the text of the status resource. */
export function statusText(sources: StatusSources): string {
  const problems = sources.config.problems.map(({ file, line, message }) => `${place(file, line)}: ${message}`);
  return JSON.stringify({ servers: describeServers(sources), problems }, undefined, 1);
}

const NOTHING = {
  ...{ tools: 0, prompts: 0, resources: 0 },
  ...{ changes: [], changedTools: [], quarantined: [], problems: [], lastWords: [] },
};

function describeUnused(server: ConfiguredServer): ServerStatus {
  const { id, origin, verdict } = server;
  const configured = place(origin.file, origin.line);
  return { id, state: STATE_OF_UNUSED[verdict.kind], ...plightOf(server, undefined), configured, ...NOTHING };
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
    ...plightOf(server, upstream),
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
