import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, sha256 } from '../../base/digest.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { findFolderProblem, readCacheFile } from '../../upstream/catalog-cache/cache-folder.ts';
import { isObject } from '../../wire/messages.ts';

/**
 * A list of tools as a client was last given it, kept so that the next one can be given it before the gateway is even
 * loaded. It is given only when everything that it was made from is still the same, and the gateway looks at it again
 * as soon as it is there.
 */
export interface ListSnapshot extends SnapshotResponses {
  /** Files that decided what is in it, each with the signature that it had when it was read. */
  readonly files: readonly { readonly file: string; readonly signature: string }[];
  /** Names of variables of our environment whose values decided it. */
  readonly variables: readonly string[];
}

/** What a client is answered with. */
export interface SnapshotResponses {
  /** The result of `tools/list`, as JSON. */
  readonly result: string;
  /** For the answer to `initialize`. */
  readonly instructions: string;
}

/** Where it is kept, and for whom. */
export interface SnapshotLocation {
  readonly folder: string;
  /** Whatever else must be the same: the command line, the client. Compared as JSON. */
  readonly conditions: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Undefined when there is none, or when anything has changed since, or it is not what we wrote. Never throws. */
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
    return { result: content.toString('utf8', end + 1), instructions: String(header['instructions']) };
  } catch {
    // It is not there, mostly. Whatever it is, the gateway itself knows what to answer.
    return undefined;
  }
}

/** Never throws: without it the next start is a little slower. */
export function writeListSnapshot({ folder, conditions, env }: SnapshotLocation, list: ListSnapshot): void {
  const conditionsJson = JSON.stringify(conditions);
  const { files, variables, result, instructions } = list;
  const signatures = files.map(({ file, signature }) => [file, signature]);
  const values = hashOfValues(variables, env);
  const header = { conditions: conditionsJson, files: signatures, variables, values, instructions };
  const content = Buffer.from(`${JSON.stringify(header)}\n${result}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (findFolderProblem(folder) !== undefined) return;
    writeFileAtomic(join(folder, nameOf(conditionsJson)), Buffer.concat([Buffer.from(firstLine(content)), content]));
  } catch {
    // A folder that cannot be written, or a full disk: the catalogs have told it already.
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

/** Two that meet under one name take turns: what is compared is inside. */
function nameOf(conditions: string): string {
  const bytes = Buffer.from(conditions);
  return `${checksum(bytes)}${checksum(bytes.toReversed())}.list`;
}

function firstLine(content: Buffer): string {
  return `${MAGIC} ${checksum(content)}\n`;
}

const MAGIC = 'switchboard-list 2';
const FIRST_LINE_BYTES = `${MAGIC} \n`.length + 8;
const LINE_FEED = 10;
