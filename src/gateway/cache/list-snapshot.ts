import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, sha256 } from '../../base/digest.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { findFolderProblem, readCacheFile } from '../../upstream/catalog-cache/cache-folder.ts';
import { isObject } from '../../wire/messages.ts';

/**
 * The tool list that a client last received. The next client gets it before the gateway is even loaded. It is used only
 * if everything that it was built from is unchanged, and the gateway verifies it as soon as it is loaded.
 */
export interface ListSnapshot extends SnapshotResponses {
  /** Files that the list was built from, each with its signature at the time it was read. */
  readonly files: readonly { readonly file: string; readonly signature: string }[];
  /** Names of the environment variables that the list depends on. */
  readonly variables: readonly string[];
}

/** The responses to a client. */
export interface SnapshotResponses {
  /** The result of `tools/list`, as JSON. */
  readonly result: string;
  /** For the response to `initialize`. */
  readonly instructions: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The location of a snapshot and the conditions that it applies to. */
export interface SnapshotLocation {
  readonly folder: string;
  /** Everything else that must be equal: the command line, the client. Compared as JSON. */
  readonly conditions: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a snapshot. Returns undefined if there is none, if any dependency has changed, or if the file is damaged. Never
 * throws.
 */
export function readListSnapshot({ folder, conditions, env }: SnapshotLocation): SnapshotResponses | undefined {
  try {
    const conditionsJson = JSON.stringify(conditions);
    if (findFolderProblem(folder) !== undefined) return undefined;
    const bytes = readCacheFile(join(folder, nameOf(conditionsJson)), Date.now());
    const content = bytes?.subarray(FIRST_LINE_BYTES);
    if (content === undefined || bytes?.toString('latin1', 0, FIRST_LINE_BYTES) !== firstLine(content))
      return undefined;
    const end = content.indexOf(LINE_FEED);
    const header: unknown = JSON.parse(content.toString('utf8', 0, end));
    if (!isObject(header) || !isCurrent(header, conditionsJson, env)) return undefined;
    const { instructions, capabilities } = header;
    return {
      result: content.toString('utf8', end + 1),
      instructions: String(instructions),
      capabilities: isObject(capabilities) ? capabilities : {},
    };
  } catch {
    // Usually the file does not exist. In every case the gateway itself can answer.
    return undefined;
  }
}

/** Writes a snapshot. Never throws: without a snapshot the next start is only a little slower. */
export function writeListSnapshot({ folder, conditions, env }: SnapshotLocation, list: ListSnapshot): void {
  const conditionsJson = JSON.stringify(conditions);
  const { files, variables, result, instructions, capabilities } = list;
  const signatures = files.map(({ file, signature }) => [file, signature]);
  const values = hashOfValues(variables, env);
  const header = { conditions: conditionsJson, files: signatures, variables, values, instructions, capabilities };
  const content = Buffer.from(`${JSON.stringify(header)}\n${result}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (findFolderProblem(folder) !== undefined) return;
    writeFileAtomic(join(folder, nameOf(conditionsJson)), Buffer.concat([Buffer.from(firstLine(content)), content]));
  } catch {
    // The folder is not writable or the disk is full. Writing the catalogs has already reported that.
  }
}

function isCurrent(header: Record<string, unknown>, conditionsJson: string, env: SnapshotLocation['env']): boolean {
  const { conditions, files, variables, values } = header;
  if (conditions !== conditionsJson || !Array.isArray(files) || !Array.isArray(variables)) return false;
  if (!files.every(([file, signature]) => readFileSignature(file) === signature)) return false;
  return values === hashOfValues(variables, env);
}

/** Hashed, because they may be secrets. */
function hashOfValues(names: readonly string[], env: SnapshotLocation['env']): string {
  return names.length === 0 ? '' : sha256(JSON.stringify(names.map((name) => env[name] ?? null)));
}

/**
 * Two conditions with the same file name overwrite each other. That is safe, because the file contains the conditions.
 */
function nameOf(conditions: string): string {
  const bytes = Buffer.from(conditions);
  return `${checksum(bytes)}${checksum(bytes.toReversed())}.list`;
}

function firstLine(content: Buffer): string {
  return `${MAGIC} ${checksum(content)}\n`;
}

const MAGIC = 'switchboard-list 3';
const FIRST_LINE_BYTES = `${MAGIC} \n`.length + 8;
const LINE_FEED = 10;
