import { AppError, messageOf } from '../base/errors.ts';
import { toConfigFile } from './config-file.ts';
import type { Surroundings } from './folders.ts';
import { mergeFiles } from './merge.ts';
import { toError } from './problem.ts';
import type { ConfiguredServer, LoadedConfig } from './server-entry.ts';
import type { Source } from './sources.ts';

/** The servers of a config that a program holds in its hands, in any shape that a file may have. It needs no trust. */
export function readInlineConfig(content: unknown, { cwd }: Surroundings): LoadedConfig {
  const source: Source = { layer: 'explicit', file: `${cwd}/${NAME}`, needsTrust: false, isOwn: false, namedBy: NAME };
  const { servers, problems } = mergeFiles([toConfigFile(source, source.file, toBytes(content))], () => true);
  const [problem] = servers.length === 0 ? problems : [];
  if (problem !== undefined) throw toError(problem);
  return {
    servers: servers.map(withoutFile),
    problems: problems.map(({ message }) => ({ file: NAME, line: 0, message })),
    files: [],
  };
}

const NAME = 'config';

function toBytes(content: unknown): Buffer {
  try {
    const text = JSON.stringify(content);
    if (text !== undefined) return Buffer.from(text);
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `config cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new AppError('CONFIG_INVALID', 'config must be the path of a file, or an object with servers in it.');
}

/** There is no file that could be named or edited, and a relative folder counts from where the program runs. */
function withoutFile(server: ConfiguredServer): ConfiguredServer {
  const origin = { layer: 'command-line', file: server.origin.file, line: 0 } as const;
  const { verdict } = server;
  if (verdict.kind !== 'usable') return { ...server, origin };
  return { ...server, origin, verdict: { kind: 'usable', entry: { ...verdict.entry, origin } } };
}
