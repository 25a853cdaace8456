import { readFileSync, statSync } from 'node:fs';
import { isObject } from '../../wire/messages.ts';
import type { Environment } from '../files/folders.ts';
import { errorAt } from '../json/decode.ts';
import { parseJsonText } from '../json/json-value.ts';
import type { ForeignServers, ForeignShape } from './foreign-server.ts';
import { recognizeShape } from './shapes.ts';
import { parseTomlText } from './toml.ts';

export interface ForeignFileOptions {
  readonly environment: Environment;
  /** The project that the file belongs to. */
  readonly project: string | undefined;
  readonly isToml: boolean;
  /** Undefined to recognize it by its content. */
  readonly shape: ForeignShape | undefined;
}

/** The servers of a file with its shape. */
export type ForeignFile = ForeignServers & { readonly shape: ForeignShape };

/** Reads the content of another program's file. Throws if it cannot be used as a whole. */
export async function parseForeignFile(file: string, bytes: Buffer, options: ForeignFileOptions): Promise<ForeignFile> {
  const { environment, project, isToml } = options;
  const root = isToml ? await parseTomlText(file, bytes) : parseJsonText(file, bytes, { allowsComments: true });
  const hasTables = isObject(root.content) && isObject(root.content['mcp_servers']);
  if (options.shape === undefined && isToml && !hasTables)
    throw errorAt(root, 'No servers found: expected tables such as [mcp_servers.name].');
  const shape = options.shape ?? recognizeShape(root, { isToml });
  return { ...shape.read(root, { file, project, environment, readText }), shape };
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
