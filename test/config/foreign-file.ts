import type { ForeignServer, ForeignServers, ForeignShape } from '../../src/config/foreign/foreign-server.ts';
import { parseTomlText } from '../../src/config/foreign/toml.ts';
import { parseJsonText } from '../../src/config/json/json-value.ts';

interface ForeignFileOptions {
  readonly file?: string;
  readonly project?: string;
  readonly platform?: NodeJS.Platform;
  /** Other files by path, which values may refer to. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Reads the text of another program's file in the home `/home/me` and the folder `/project`. */
export function readForeignText(shape: ForeignShape, text: string, options: ForeignFileOptions = {}): ForeignServers {
  const { file = '/home/me/config.json' } = options;
  return shape.read(parseJsonText(file, Buffer.from(text), { allowsComments: true }), placeOf(file, options));
}

export async function readForeignToml(shape: ForeignShape, text: string): Promise<ForeignServers> {
  const file = '/home/me/config.toml';
  return shape.read(await parseTomlText(file, Buffer.from(text)), placeOf(file, {}));
}

/** Returns what a server in the first line of a file that applies everywhere is expected to become. */
export function foreignServer(
  name: string,
  entry: ForeignServer['entry'],
  notCarried: ForeignServer['notCarried'] = [],
): ForeignServer {
  return { name, line: 1, project: undefined, entry, notCarried };
}

function placeOf(
  file: string,
  { project, platform = 'linux', files = {} }: ForeignFileOptions,
): Parameters<ForeignShape['read']>[1] {
  const environment = { cwd: '/project', home: '/home/me', env: {}, platform };
  return { file, project, environment, readText: (path) => files[path] };
}
