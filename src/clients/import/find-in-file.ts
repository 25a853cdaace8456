import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { type Environment, resolvePath } from '../../config/files/folders.ts';
import { type ForeignFile, parseForeignFile } from '../../config/foreign/foreign-file.ts';
import { ownerOfPath } from '../../config/foreign/known-paths.ts';
import { clientShapes } from '../../config/foreign/shapes.ts';
import { CLIENT_IDS } from '../clients.ts';
import { type Findings, type FoundFile, separateOwn } from './find-servers.ts';
import { readForeignFile } from './read-file.ts';
import { replaceCodexServers } from './replace-codex-server.ts';

/** Finds the servers of any file. Its path decides its shape if it is that of a client, otherwise its content. */
export async function findServersInFile(written: string, environment: Environment): Promise<Findings> {
  const file = resolvePath(written, environment);
  const owner = ownerOfPath(file, environment);
  const found = await readForeignFile(file, {
    environment,
    project: owner?.project,
    isToml: file.endsWith('.toml'),
    shape: owner && clientShapes[owner.client],
  });
  if (found !== undefined)
    return { files: [toFoundFile(found, { file, client: owner?.client, environment })], problems: [] };
  const choices = `Give a file, - for stdin, or one of ${CLIENT_IDS.join(', ')}.`;
  throw new AppError('CONFIG_INVALID', `${escapeInvisible(file)} does not exist. ${choices}`);
}

/** Finds the servers of a text from stdin, which is TOML unless it begins like JSON. */
export async function findServersInText(content: Buffer, environment: Environment): Promise<Findings> {
  const [first = ''] = content
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n');
  // A table header also begins with a bracket.
  const isToml = first !== '' && (!/^(?:[{[]|\/[/*])/.test(first) || /^\[+[\w."' -]+\]+\s*(?:#.*)?$/.test(first));
  const found = await parseForeignFile('stdin', content, { environment, project: undefined, isToml, shape: undefined });
  return { files: [toFoundFile(found, { file: 'stdin', client: undefined, environment })], problems: [] };
}

function toFoundFile(
  found: ForeignFile,
  { file, client, environment }: Pick<FoundFile, 'file' | 'client'> & { readonly environment: Environment },
): FoundFile {
  const place = { client, title: found.shape.title, file };
  const { servers, skipped } = replaceCodexServers(separateOwn(found), environment);
  // The user named this file, so its servers are not limited to the project that contains it.
  return { ...place, servers: servers.map((server) => ({ ...server, ...place, project: undefined })), skipped };
}
