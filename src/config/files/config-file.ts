import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { Dialect, RawServer } from '../dialects/dialect.ts';
import { recognizeDialect } from '../dialects/registry.ts';
import { switchboardDialect } from '../dialects/switchboard.ts';
import { type DecodedEntry, decodeEntry } from '../entry/decode-entry.ts';
import { entryLabel } from '../entry/decode-transport.ts';
import type { TranslatedFile } from '../foreign/explicit-file.ts';
import { errorAt, formatLines } from '../json/decode.ts';
import { lineOf, parseJsonText } from '../json/json-value.ts';
import { toConfigError, toProblem } from '../problem.ts';
import type { ConfigProblem, Origin } from '../server-entry.ts';
import { type FileView, NO_VIEWS, readViews } from '../views/read-views.ts';
import { readSmallFile } from './small-file.ts';
import type { Source } from './sources.ts';

export interface FileEntry {
  readonly id: string;
  readonly origin: Origin;
  readonly content: DecodedEntry | { readonly kind: 'broken'; readonly problem: ConfigProblem };
}

export interface SkippedEntry {
  /** As written; if there is none, the path of the entry in the file. */
  readonly id: string;
  readonly origin: Origin;
  readonly problem: ConfigProblem;
}

/** An existing file with all its entries. */
export interface ConfigFile {
  readonly source: Source;
  /** The path with links resolved: two paths of one file are one file. */
  readonly realPath: string;
  /** Empty if the file could not be understood. */
  readonly dialect: string;
  readonly entries: readonly FileEntry[];
  /** The raw form of the entries, with the position of every value. */
  readonly servers: readonly RawServer[];
  /** Entries without a usable id. `problems` includes their problems. */
  readonly skipped: readonly SkippedEntry[];
  /** Only our own dialect has views. */
  readonly views: readonly FileView[];
  readonly problems: readonly ConfigProblem[];
}

/** The parts of a file without content. */
export const EMPTY_FILE = { dialect: '', entries: [], servers: [], skipped: [], views: [] } as const;

/** More than any real config has. A file that comes with a project must not delay the start. */
export const MAX_SERVERS = 1000;

/**
 * Reads a file; undefined if it does not exist. Never throws for the content: a broken file does not affect the others.
 * `translated` replaces the content of a file that has the shape of another program.
 */
export function readConfigFile(source: Source, translated?: TranslatedFile): ConfigFile | undefined {
  let realPath = source.file;
  try {
    const content = readSmallFile(source.file);
    if (content === undefined) return undefined;
    realPath = content.realPath;
    if (translated === undefined) return toConfigFile(source, realPath, content.bytes);
    if (translated.kind === 'broken') throw toConfigError(translated.problem);
    const file = toConfigFile({ ...source, isSwitchboardFile: true }, realPath, translated.bytes);
    return { ...file, source, problems: [...file.problems, ...translated.problems] };
  } catch (error) {
    return { ...EMPTY_FILE, source, realPath, problems: [toProblem(error)] };
  }
}

/** Decodes the content of a file. Throws if it cannot be understood as a whole. */
export function toConfigFile(source: Source, realPath: string, bytes: Buffer): ConfigFile {
  const root = parseJsonText(source.file, bytes, { allowsComments: source.isSwitchboardFile });
  const { dialect, ignored } = source.isSwitchboardFile
    ? { dialect: switchboardDialect, ignored: [] }
    : recognizeDialect(root);
  const servers = dialect.readServers(root);
  if (servers.length > MAX_SERVERS)
    throw errorAt(root, `The file has ${servers.length} servers, but the limit is ${MAX_SERVERS}: remove some.`);
  const { entries, skipped } = readEntries(servers, { source, dialect });
  const ignoredShapes = ignored.map(({ name }) => ({
    file: source.file,
    line: lineOf(root),
    message: `The servers under "${name === switchboardDialect.name ? 'mcp' : name}" are not read, because the file also has "${dialect.name}".`,
  }));
  const { views, problems: viewProblems } = dialect === switchboardDialect ? readViews(root, source) : NO_VIEWS;
  const problems = [...ignoredShapes, ...skipped.map(({ problem }) => problem), ...viewProblems];
  return { source, realPath, dialect: dialect.name, entries, servers, skipped, views, problems };
}

interface FileContext {
  readonly source: Source;
  readonly dialect: Dialect;
}

function readEntries(servers: readonly RawServer[], context: FileContext): Pick<ConfigFile, 'entries' | 'skipped'> {
  const skipped: SkippedEntry[] = [];
  const byId = new Map<string, RawServer[]>();
  for (const server of servers) {
    const fault = server.id === undefined ? 'a server needs "name" or "command"' : context.dialect.checkName(server.id);
    const { id = entryLabel(server.value) } = server;
    if (fault === undefined) append(byId, id, server);
    else skipped.push(leaveOut(id, server, { ...context, fault }));
  }
  return { entries: [...byId].map(([id, found]) => readEntry(id, found, context)), skipped };
}

function leaveOut(
  id: string,
  { line, value }: RawServer,
  { source: { file, layer }, fault }: FileContext & { readonly fault: string },
): SkippedEntry {
  const message = `${entryLabel(value)} is left out: ${fault}.`;
  return { id, origin: { layer, file, line }, problem: { file, line, message } };
}

function append(lists: Map<string, RawServer[]>, id: string, server: RawServer): void {
  const list = lists.get(id);
  if (list === undefined) lists.set(id, [server]);
  else list.push(server);
}

function readEntry(id: string, found: readonly RawServer[], { source, dialect }: FileContext): FileEntry {
  const [first] = found;
  const origin = { layer: source.layer, file: source.file, line: first?.line ?? 0 };
  if (first === undefined || found.length > 1) {
    const message = `"${escapeInvisible(id)}" appears more than once, in lines ${formatLines(found)}: keep one, or give each its own name.`;
    return { id, origin, content: { kind: 'broken', problem: { file: origin.file, line: origin.line, message } } };
  }
  try {
    return { id, origin, content: decodeEntry(first.value, { id, origin, dialect }) };
  } catch (error) {
    return { id, origin, content: { kind: 'broken', problem: toProblem(error) } };
  }
}
