import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { ForeignServer, ForeignServers, SkippedServer } from '../../config/foreign/foreign-server.ts';
import { clientShapes } from '../../config/foreign/shapes.ts';
import { toProblem } from '../../config/problem.ts';
import { isOwnGateway } from '../../config/resolve/own-gateway.ts';
import type { ConfigProblem } from '../../config/server-entry.ts';
import { type Client, type ClientFile, type ClientId, clients } from '../clients.ts';
import { readForeignFile } from './read-file.ts';
import { replaceCodexServers } from './replace-codex-server.ts';

/** A file of a client with its servers. */
export interface FoundFile {
  /** Undefined for a file that belongs to no known client. */
  readonly client: ClientId | undefined;
  /** The name of the client, or of the shape of the file. */
  readonly title: string;
  readonly file: string;
  readonly servers: readonly FoundServer[];
  readonly skipped: readonly SkippedServer[];
}

export interface FoundServer extends ForeignServer {
  readonly client: ClientId | undefined;
  readonly title: string;
  readonly file: string;
}

export interface Findings {
  readonly files: readonly FoundFile[];
  /** Files that cannot be used. */
  readonly problems: readonly ConfigProblem[];
}

/** Finds the servers of every client in its standard places. A broken file does not affect the others. */
export async function findServers(environment: Environment): Promise<Findings> {
  const found = await Promise.all(clients.map((client) => findInClient(client, environment)));
  return { files: found.flatMap(({ files }) => files), problems: found.flatMap(({ problems }) => problems) };
}

/** Finds the servers of one client. Throws if it has no file, or if one of its files cannot be used. */
export async function findServersOf(client: Client, environment: Environment): Promise<Findings> {
  const found = await findInClient(client, environment);
  const [problem] = found.problems;
  if (problem !== undefined) throw new AppError('CONFIG_INVALID', describeProblem(problem), { data: { ...problem } });
  if (found.files.length > 0) return found;
  const places = client.files(environment).map(({ file }) => escapeInvisible(file));
  const message = `${client.title} has no config here. Switchboard looked for ${places.join(', ')}. To import another file, run: ${programName()} import --from <file>`;
  throw new AppError('CONFIG_INVALID', message);
}

function describeProblem({ file, line, message }: ConfigProblem): string {
  return `${escapeInvisible(file)}${line === 0 ? '' : `:${line}`}: ${message}`;
}

async function findInClient(client: Client, environment: Environment): Promise<Findings> {
  const files: FoundFile[] = [];
  const problems: ConfigProblem[] = [];
  // In the home folder, the file of the project is that of the user, which comes first.
  const places = client.files(environment);
  const unique = places.filter(({ file }, index) => places.findIndex((other) => other.file === file) === index);
  for (const place of unique) {
    try {
      const found = await readClientFile(client, place, environment);
      if (found !== undefined) files.push(found);
    } catch (error) {
      problems.push(toProblem(error));
    }
  }
  return { files, problems };
}

async function readClientFile(
  client: Client,
  { file, project, format }: ClientFile,
  environment: Environment,
): Promise<FoundFile | undefined> {
  const found = await readForeignFile(file, {
    environment,
    project,
    isToml: format === 'toml',
    shape: clientShapes[client.id],
  });
  if (found === undefined) return undefined;
  const { servers, skipped } = replaceCodexServers(separateOwn(found), environment);
  const place = { client: client.id, title: client.title, file };
  if (client.id === 'claude' && project !== undefined)
    return { ...place, servers: [], skipped: [...servers.map(readAnyway), ...skipped] };
  return { ...place, servers: servers.map((server) => ({ ...server, ...place })), skipped };
}

/** A `.mcp.json` is one of our own sources. */
function readAnyway({ name, line }: ForeignServer): SkippedServer {
  return { name, line, reason: `Switchboard reads this file itself: run ${programName()} trust to use it` };
}

/** Separates Switchboard's own gateway, which would start itself. */
export function separateOwn({ servers, skipped }: ForeignServers): ForeignServers {
  const own = servers.filter(({ entry: { command, args } }) => {
    if (typeof command !== 'string') return false;
    const words = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
    return isOwnGateway({ command, args: words });
  });
  return {
    servers: servers.filter((server) => !own.includes(server)),
    skipped: [...skipped, ...own.map(({ name, line }) => ({ name, line, reason: OWN_GATEWAY }))],
  };
}

const OWN_GATEWAY = "it is Switchboard's own gateway";
