import { join } from 'node:path';
import { AppError, messageOf, toAppError } from '../base/errors.ts';
import { findMisspelledKeys } from './entry/misspelled-keys.ts';
import { type ConfigFile, toConfigFile } from './files/config-file.ts';
import type { Environment } from './files/folders.ts';
import type { Source } from './files/sources.ts';
import { mergeFiles } from './merge-files.ts';
import type { ConfiguredServer, LoadedConfig, Verdict } from './server-entry.ts';

/** A config that a program passes as an object. */
export interface InlineConfig {
  readonly config: LoadedConfig;
  /** The config in the form of a file. */
  readonly file: ConfigFile;
}

/** Reads a config object in any format that a file may have. It needs no trust. */
export function readInlineConfig(content: unknown, { cwd }: Environment): InlineConfig {
  const source: Source = { layer: 'explicit', file: NAME, needsTrust: false, isSwitchboardFile: false, namedBy: NAME };
  const file = read(source, content);
  const { servers, problems } = mergeFiles([file], () => true);
  const [problem] = servers.length === 0 ? problems : [];
  if (problem !== undefined) throw new AppError('CONFIG_INVALID', `${NAME}: ${problem.message}`);
  return {
    file,
    config: {
      servers: servers.map((server) => withoutFile(server, cwd)),
      problems: [...problems, ...findMisspelledKeys(file)].map(({ message }) => ({ file: NAME, line: 0, message })),
      files: [],
    },
  };
}

/** Name that replaces the file in messages. */
const NAME = 'config';

function read(source: Source, content: unknown): ConfigFile {
  try {
    return toConfigFile(source, source.file, toBytes(content));
  } catch (error) {
    const { message } = toAppError(error);
    throw new AppError('CONFIG_INVALID', withoutLine(message), { cause: error });
  }
}

function toBytes(content: unknown): Buffer {
  try {
    const text = JSON.stringify(content);
    if (text !== undefined) return Buffer.from(text);
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `${NAME} cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new AppError('CONFIG_INVALID', `${NAME} must be the path of a file, or an object with servers in it.`);
}

/** Removes the line number: the serialized config is a single line that nobody wrote. */
function withoutLine(text: string): string {
  return text.replace(/^config:\d+:/, 'config:');
}

/** Replaces the origin: there is no file to edit, and relative folders start at the program's working folder. */
function withoutFile({ id, verdict }: ConfiguredServer, cwd: string): ConfiguredServer {
  const origin = { layer: 'command-line', file: join(cwd, NAME), line: 0 } as const;
  const shownVerdict: Verdict =
    verdict.kind === 'usable'
      ? { kind: 'usable', entry: { ...verdict.entry, origin } }
      : { ...verdict, reason: withoutLine(verdict.reason) };
  return { id, origin, verdict: shownVerdict };
}
