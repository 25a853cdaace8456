import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../../config/files/folders.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import type { ForeignPlace, ForeignServers, ForeignShape } from '../../config/foreign/foreign-server.ts';
import { recognizeShape } from '../../config/foreign/shapes.ts';
import { parseTomlText } from '../../config/foreign/toml.ts';
import { errorAt } from '../../config/json/decode.ts';
import { parseJsonText } from '../../config/json/json-value.ts';
import { toConfigError } from '../../config/problem.ts';
import { isObject } from '../../wire/messages.ts';

export interface ReadFileOptions {
  readonly environment: Environment;
  readonly project: string | undefined;
  readonly isToml: boolean;
  /** Undefined to recognize it by its content. */
  readonly shape: ForeignShape | undefined;
}

/** The servers of a file with its shape. */
export type ForeignFile = ForeignServers & { readonly shape: ForeignShape };

/** Reads a file of another program; undefined if it does not exist. Throws if it cannot be used as a whole. */
export async function readForeignFile(file: string, options: ReadFileOptions): Promise<ForeignFile | undefined> {
  const content = readSmallFile(file, MAX_BYTES);
  if (content === undefined) return undefined;
  refuseForeignOwner(file, content.realPath);
  return parseForeignFile(file, content.bytes, options);
}

/** Claude Code keeps its history in the file with its servers. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads the content of a file of another program. Throws if it cannot be used as a whole. */
export async function parseForeignFile(file: string, bytes: Buffer, options: ReadFileOptions): Promise<ForeignFile> {
  const { environment, project, isToml } = options;
  const root = isToml ? await parseTomlText(file, bytes) : parseJsonText(file, bytes, { allowsComments: true });
  const shape = options.shape ?? recognizeShape(root, { isToml });
  if (options.shape === undefined && isToml && !(isObject(root.content) && isObject(root.content['mcp_servers'])))
    throw errorAt(root, 'No servers found: expected tables such as [mcp_servers.name].');
  const place: ForeignPlace = { file, project, environment, readText };
  return { ...shape.read(root, place), shape };
}

/** Another user could put any command there, which would then run as this user. */
function refuseForeignOwner(file: string, realPath: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid } = statSync(realPath);
  if (uid === own) return;
  const message = `The file belongs to another user (uid ${uid}; yours is ${own}), who could change what you import. Copy it to a file of your own, then run: switchboard import --from <copy>`;
  throw toConfigError({ file, line: 0, message });
}

function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_TEXT_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    // The caller reports that the file cannot be read.
    return undefined;
  }
}

const MAX_TEXT_BYTES = 64 * 1024;
