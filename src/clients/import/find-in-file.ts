import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { type Environment, platformPath, resolvePath } from '../../config/files/folders.ts';
import { clientShapes } from '../../config/foreign/shapes.ts';
import { clients, findClient } from '../clients.ts';
import { type Findings, type FoundFile, separateOwn } from './find-servers.ts';
import { type ForeignFile, parseForeignFile, readForeignFile } from './read-file.ts';

/** Finds the servers of any file. Its path decides its shape if it is that of a client, otherwise its content. */
export async function findServersInFile(written: string, environment: Environment): Promise<Findings> {
  const file = resolvePath(written, environment);
  const owner = ownerOf(file, environment);
  const found = await readForeignFile(file, {
    environment,
    project: owner?.project,
    isToml: file.endsWith('.toml'),
    shape: owner && clientShapes[owner.client],
  });
  if (found === undefined) {
    const known = clients.map(({ id }) => id).join(', ');
    throw new AppError(
      'CONFIG_INVALID',
      `${escapeInvisible(file)} does not exist. Give a file, - for stdin, or one of ${known}.`,
    );
  }
  return { files: [toFoundFile(file, found, owner?.client)], problems: [] };
}

/** Finds the servers of a text from stdin, which is TOML unless it begins like JSON. */
export async function findServersInText(content: Buffer, environment: Environment): Promise<Findings> {
  const isToml = !/^\ufeff?\s*(?:[{[]|\/\/|\/\*)/.test(content.toString('utf8')) && content.length > 0;
  const isTable = isToml || /^\s*\[+\s*[\w."'-]+\s*\]+\s*$/m.test(content.toString('utf8').split('\n')[0] ?? '');
  const options = { environment, project: undefined, isToml: isTable, shape: undefined };
  return { files: [toFoundFile('stdin', await parseForeignFile('stdin', content, options), undefined)], problems: [] };
}

function toFoundFile(file: string, found: ForeignFile, client: FoundFile['client']): FoundFile {
  const title = found.shape.title;
  const place = { client, title, file };
  const { servers, skipped } = separateOwn(found);
  // The user named this file, so its servers are not limited to the project that contains it.
  return { ...place, servers: servers.map((server) => ({ ...server, ...place, project: undefined })), skipped };
}

interface Owner {
  readonly client: keyof typeof clientShapes;
  /** The project that contains the file; undefined for the file of a home folder. */
  readonly project: string | undefined;
}

/** Returns the client whose file this is, here or in another home or project. */
function ownerOf(file: string, environment: Environment): Owner | undefined {
  const { dirname } = platformPath(environment.platform);
  const path = file.replaceAll('\\', '/');
  const [, id] = PLACES.find(([place]) => place.test(path)) ?? [];
  const client = id === undefined ? undefined : findClient(id)?.id;
  if (client === undefined) return undefined;
  const folder = /\/\.(?:cursor|vscode|gemini|codex|zed)\/[^/]+$/.test(path) ? dirname(dirname(file)) : undefined;
  return { client, project: folder === environment.home ? undefined : folder };
}

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/\/\.codex\/config\.toml$/, 'codex'],
  [/\/\.claude\.json$/, 'claude'],
  [/\/claude_desktop_config\.json$/, 'claude-desktop'],
  [/\/\.cursor\/mcp\.json$/, 'cursor'],
  [/\/(?:\.vscode|Code\/User)\/mcp\.json$/, 'vscode'],
  [/\/\.gemini\/settings\.json$/, 'gemini'],
  [/\/windsurf\/mcp_config\.json$/, 'windsurf'],
  [/\/\.?zed\/settings\.json$/, 'zed'],
  [/\/opencode\.jsonc?$/, 'opencode'],
  [/\/\.copilot\/mcp-config\.json$/, 'copilot'],
];
