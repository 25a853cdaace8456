import { programName } from '../../base/program-name.ts';
import { isObject } from '../../wire/messages.ts';
import { readKeyedServers } from '../dialects/keyed.ts';
import { pick, readStrings } from '../json/decode.ts';
import { childOf, type JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, oauthPart, timePart } from './entry-parts.ts';
import type { ForeignPlace, ForeignServers, ForeignShape } from './foreign-server.ts';
import { readServers, type Translation } from './read-servers.ts';
import { shellSyntax } from './variables.ts';

/**
 * Claude Code: `.mcp.json`, and `~/.claude.json` with servers for all projects and for each one. Only the current
 * project's own servers are read.
 */
export const claudeShape: ForeignShape = {
  title: 'Claude Code',
  matches: ({ content }) => isObject(content) && isObject(content['projects']) && !Object.hasOwn(content, 'servers'),
  read(root, place) {
    const project = findProject(root, place.environment.cwd);
    const disabled = new Set(project === undefined ? [] : namesUnder(project, 'disabledMcpServers'));
    const everywhere = markDisabled(read(pick(root, 'mcpServers'), place), disabled);
    const here = read(project && pick(project, 'mcpServers'), { ...place, project: place.environment.cwd });
    return {
      servers: [
        ...everywhere.servers.filter(({ name }) => !here.servers.some((own) => own.name === name)),
        ...here.servers.map((server) =>
          disabled.has(server.name) ? { ...server, entry: { ...server.entry, enabled: false } } : server,
        ),
      ],
      skipped: [...everywhere.skipped, ...here.skipped, ...otherProjects(root, place)],
    };
  },
};

function read(servers: JsonValue | undefined, place: ForeignPlace): ForeignServers {
  return readServers(readKeyedServers(servers), { place, syntax: shellSyntax, translate: translateClaude });
}

function translateClaude(translation: Translation): WrittenEntry | string {
  const { fields, text } = translation;
  const connection = connectionPart(translation);
  if (typeof connection === 'string') return connection;
  const oauth = fields.open('oauth');
  fields.drop('headersHelper', 'Switchboard runs no program to get headers: name a variable in header_env instead');
  oauth?.drop('callbackPort', `pass it when you sign in: ${programName()} mcp login <id> --callback-port <n>`);
  oauth?.drop('authServerMetadataUrl', 'Switchboard discovers the authorization server itself');
  return {
    ...connection,
    oauth: oauthPart(oauth, text, { scope: ['scopes'] }),
    request_timeout_ms: timePart(fields, 'timeout'),
  };
}

function findProject(root: JsonValue, cwd: string): JsonValue | undefined {
  const projects = pick(root, 'projects');
  return projects && pick(projects, cwd);
}

function namesUnder(value: JsonValue, key: string): readonly string[] {
  const found = pick(value, key);
  return found === undefined ? [] : readStrings(found);
}

/** A server for all projects may be disabled in one of them, which does not disable it elsewhere. */
function markDisabled({ servers, skipped }: ForeignServers, disabled: ReadonlySet<string>): ForeignServers {
  const reason = `Claude Code disables the server in this project only: run ${programName()} mcp disable here to do the same`;
  return {
    skipped,
    servers: servers.map((server) =>
      disabled.has(server.name)
        ? { ...server, notCarried: [...server.notCarried, { key: 'disabledMcpServers', reason }] }
        : server,
    ),
  };
}

function otherProjects(root: JsonValue, { environment: { cwd } }: ForeignPlace): ForeignServers['skipped'] {
  const projects = pick(root, 'projects');
  const folders = isObject(projects?.content) ? Object.keys(projects.content) : [];
  return folders.flatMap((folder) => {
    if (folder === cwd || projects === undefined) return [];
    const project = childOf(projects, folder);
    const servers = isObject(project.content) ? pick(project, 'mcpServers') : undefined;
    const reason = `it belongs to another project: run ${programName()} import in ${folder}`;
    return readKeyedServers(servers).map(({ id = '', line }) => ({ name: id, line, reason }));
  });
}
