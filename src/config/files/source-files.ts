import { readFileSignature } from '../../base/files/file-signature.ts';
import type { TranslatedFile } from '../foreign/explicit-file.ts';
import { toConfigError } from '../problem.ts';
import type { ConfigFileState } from '../server-entry.ts';
import { type ConfigFile, EMPTY_FILE, readConfigFile } from './config-file.ts';
import type { Environment } from './folders.ts';
import { findSources, projectFolder, type Source, trustsEveryProject } from './sources.ts';

export interface SourceFiles {
  /** The existing files, each once, and named files that do not exist, with a problem. */
  readonly files: readonly ConfigFile[];
  /** The state of every candidate file. */
  readonly states: readonly ConfigFileState[];
}

export interface SourceOptions extends Environment {
  /** Only these files are read. The first one wins, and their entries need no trust. */
  readonly explicitFiles?: readonly string[];
  /** The option or variable that named the files, for messages; `--config` by default. */
  readonly explicitBy?: string;
  /** The last usable content of each file, by path. `readSourceFiles` keeps it up to date. */
  readonly lastGood?: Map<string, ConfigFile>;
  /** The content of files that have the shape of another program, by path. */
  readonly translated?: ReadonlyMap<string, TranslatedFile>;
}

/**
 * Reads all files that may define servers, highest precedence first, or only these sources. Throws if an explicitly
 * named file cannot be used.
 */
export function readSourceFiles(
  options: SourceOptions,
  sources = findSources(options, options.explicitFiles, options.explicitBy),
): SourceFiles {
  const found = sources.map((source) => ({
    source,
    signature: readFileSignature(source.file),
    file: readConfigFile(source, options.translated?.get(source.file)),
  }));
  const { lastGood } = options;
  for (const { source, file } of found) {
    if (file === undefined) lastGood?.delete(source.file);
    else if (!isBroken(file)) lastGood?.set(source.file, file);
  }
  const files = dropDuplicates(
    found.map(({ source, file }) =>
      file === undefined ? reportMissingNamed(source) : substituteLastGood(file, lastGood),
    ),
  );
  const [problem] = files.flatMap((file) => (file.source.layer === 'explicit' && isBroken(file) ? file.problems : []));
  if (problem !== undefined) throw toConfigError(problem);
  return {
    files,
    states: found.map(({ source: { file: path, layer }, signature, file }) => {
      return { file: path, layer, state: stateOf(file), signature };
    }),
  };
}

/** Replaces a broken file by its last usable content, with its precedence and the current trust. */
function substituteLastGood(file: ConfigFile, lastGood: SourceOptions['lastGood']): ConfigFile {
  const good = isBroken(file) ? lastGood?.get(file.source.file) : undefined;
  return good === undefined ? file : { ...good, problems: file.problems };
}

function isBroken({ dialect }: ConfigFile): boolean {
  return dialect === '';
}

/** Returns whether the trust store must be read: in most folders, no entry needs trust. */
export function needsTrustCheck(files: readonly ConfigFile[], env: Environment['env']): boolean {
  if (trustsEveryProject(env)) return false;
  return files.some(({ source, entries, views }) => source.needsTrust && entries.length + views.length > 0);
}

function reportMissingNamed(source: Source): ConfigFile | undefined {
  if (source.namedBy === undefined) return undefined;
  const problem = { file: source.file, line: 0, message: `This file, named by ${source.namedBy}, does not exist.` };
  return { ...EMPTY_FILE, source, realPath: source.file, problems: [problem] };
}

/**
 * Drops duplicates of a file that is found under several paths, and keeps the one that needs no trust. If all of them
 * need trust, keeps one for each folder: a link must not hide the file that it leads to.
 */
function dropDuplicates(found: readonly (ConfigFile | undefined)[]): readonly ConfigFile[] {
  const files = found.filter((file) => file !== undefined);
  return files.filter((file) => {
    const sameFiles = files.filter(({ realPath }) => realPath === file.realPath);
    const preferred = sameFiles.find(({ source }) => !source.needsTrust);
    const folder = projectFolder(file.source);
    return file === (preferred ?? sameFiles.find(({ source }) => projectFolder(source) === folder));
  });
}

function stateOf(file: ConfigFile | undefined): ConfigFileState['state'] {
  if (file === undefined) return 'absent';
  return isBroken(file) ? 'broken' : 'usable';
}
