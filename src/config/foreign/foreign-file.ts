import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isObject } from '../../wire/messages.ts';
import type { Environment } from '../files/folders.ts';
import { pathAndParents } from '../files/real-path.ts';
import { errorAt } from '../json/decode.ts';
import { parseJsonText } from '../json/json-value.ts';
import { toConfigError } from '../problem.ts';
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
  if (/\.ya?ml$/i.test(file)) throw toConfigError({ file, line: 0, message: NO_YAML });
  const root = isToml ? await parseTomlText(file, bytes) : parseJsonText(file, bytes, { allowsComments: true });
  const hasTables = isObject(root.content) && isObject(root.content['mcp_servers']);
  if (options.shape === undefined && isToml && !hasTables)
    throw errorAt(root, 'No servers found: expected tables such as [mcp_servers.name].');
  const shape = options.shape ?? recognizeShape(root, { isToml });
  return { ...shape.read(root, { file, project, environment, readText: (path) => readText(path, project) }), shape };
}

/** None of the known programs keeps its servers in YAML. */
const NO_YAML = 'Switchboard reads JSON and TOML, not YAML: convert the file to JSON first.';

/** A project that someone else wrote must not get at files outside of it. */
function readText(path: string, project: string | undefined): string | undefined {
  try {
    const real = realpathSync.native(path);
    if (project !== undefined && !pathAndParents(real, process.platform).includes(realpathSync.native(project)))
      return undefined;
    const stats = statSync(real);
    return stats.isFile() && stats.size <= MAX_TEXT_BYTES ? readFileSync(real, 'utf8') : undefined;
  } catch {
    // The caller reports that the file cannot be read.
    return undefined;
  }
}

const MAX_TEXT_BYTES = 64 * 1024;
