import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The file in which Codex stores a session. */
export interface RolloutFile {
  readonly path: string;
  /** Relative to `sessions`, with slashes. Sorts by time: a later file has a greater path. */
  readonly relativePath: string;
  readonly sessionId: string;
}

/** Yields the files, newest first. Reads only the folders that are needed, and opens no file. */
export async function* listRolloutFiles(
  codexHome: string,
  { after }: { readonly after?: string | undefined } = {},
): AsyncGenerator<RolloutFile> {
  const root = join(codexHome, 'sessions');
  // Paths sort by time: files older than the cursor have a smaller path.
  const isWanted = (folder: string): boolean => after === undefined || folder <= after.slice(0, folder.length);
  for (const year of await namesIn(root, YEAR)) {
    if (!isWanted(year)) continue;
    for (const month of await namesIn(join(root, year), TWO_DIGITS)) {
      if (!isWanted(`${year}/${month}`)) continue;
      for (const day of await namesIn(join(root, year, month), TWO_DIGITS)) {
        const folder = `${year}/${month}/${day}`;
        if (!isWanted(folder)) continue;
        for (const file of await filesIn(root, folder))
          if (after === undefined || file.relativePath < after) yield file;
      }
    }
  }
}

/** Finds a file by the session id in its name. Returns undefined if there is none, or if the id is not valid. */
export async function findRolloutFile(codexHome: string, sessionId: string): Promise<RolloutFile | undefined> {
  if (!SESSION_ID.test(sessionId)) return undefined;
  for await (const file of listRolloutFiles(codexHome)) if (file.sessionId === sessionId) return file;
  return undefined;
}

/** Returns whether a text has the form of a relative path, and so can be a cursor. */
export function isRelativePath(text: string): boolean {
  const parts = text.split('/');
  return parts.length === 4 && FILE.test(parts[3] ?? '') && /^\d{4}\/\d\d\/\d\d\//.test(text);
}

const YEAR = /^\d{4}$/;
const TWO_DIGITS = /^\d\d$/;
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SESSION_ID = new RegExp(`^${ID}$`);
const FILE = new RegExp(`^rollout-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-(${ID})\\.jsonl$`);

async function filesIn(root: string, folder: string): Promise<readonly RolloutFile[]> {
  const names = await namesIn(join(root, folder), FILE);
  return names.map((name) => ({
    path: join(root, folder, name),
    relativePath: `${folder}/${name}`,
    sessionId: FILE.exec(name)?.[1] ?? '',
  }));
}

async function namesIn(folder: string, pattern: RegExp): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => pattern.test(name)).sort((a, b) => (a < b ? 1 : -1));
  } catch {
    // The folder does not exist or is not readable, so it has nothing to list.
    return [];
  }
}
