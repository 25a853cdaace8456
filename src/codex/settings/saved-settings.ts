import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { omitUndefined } from '../../base/omit-undefined.ts';
import { openPrivateJson, type PrivateJson } from '../../config/files/private-json.ts';
import {
  pick,
  readBoolean,
  readNonEmptyString,
  readObject,
  readOneOf,
  readOptional,
  readString,
  readStrings,
} from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import { SANDBOX_MODES } from '../item-types.ts';
import type { StartArguments } from './start-settings.ts';

/** The settings that a caller chose for a session, named as in `codex_start`. */
type SavedArguments = Pick<StartArguments, (typeof NOT_RESTORED_BY_CODEX)[number] | (typeof SAVED_ALONGSIDE)[number]>;

/** Codex does not restore these when a session is resumed. */
const NOT_RESTORED_BY_CODEX = ['addDirs', 'profile', 'config', 'compactPrompt'] as const;
/** Codex restores most of these itself, but a profile or `config` that is passed again would override them. */
const SAVED_ALONGSIDE = [
  'workingDirectory',
  'skipGitRepoCheck',
  'model',
  'effort',
  'approvalPolicy',
  'sandbox',
] as const;

/** Older versions of Codex do not restore these either. */
const POLICY = ['approvalPolicy', 'sandbox'] as const;

interface SaveOptions {
  /** Codex may resume the session with another sandbox and approval policy. */
  readonly forgetsPolicy?: boolean | undefined;
}

/** Stores the settings of each session in a private file, because `config` may contain secrets. */
export interface SavedSettings {
  /** Throws if the settings cannot be stored. Stores nothing if Codex itself restores all settings of the session. */
  save(sessionId: string, given: SavedArguments, options?: SaveOptions): Promise<void>;
  /** Returns undefined if nothing is stored. Throws for a damaged file: no session may resume with other settings. */
  read(sessionId: string): Promise<SavedArguments | undefined>;
  /**
   * Copies the settings for a turn that changes some of them, or for a fork, which inherits those of its session. Uses
   * `unsaved` for a session of which nothing is stored.
   */
  copy(fromId: string, toId: string, changes?: SavedArguments, unsaved?: SavedArguments): Promise<void>;
}

const MAX_BYTES = 256 * 1024;
/** Above this number, the least recently used files are deleted. */
const MAX_FILES = 500;
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/** Opens the store. `parent` is Switchboard's data folder. */
export function openSavedSettings(parent: string, now: () => number = Date.now): SavedSettings {
  const folder = join(parent, 'codex-sessions');

  const save = async (sessionId: string, given: SavedArguments, { forgetsPolicy = false }: SaveOptions = {}) => {
    const needed = forgetsPolicy ? [...NOT_RESTORED_BY_CODEX, ...POLICY] : NOT_RESTORED_BY_CODEX;
    if (needed.every((name) => given[name] === undefined)) return;
    const target = fileOf(folder, sessionId);
    if (target === undefined) return;
    target.write(Object.fromEntries([...SAVED_ALONGSIDE, ...NOT_RESTORED_BY_CODEX].map((name) => [name, given[name]])));
    await prune(folder, now()).catch(() => undefined);
  };

  const read = async (sessionId: string) => {
    const target = fileOf(folder, sessionId);
    const root = target?.read();
    if (target === undefined || root === undefined) return undefined;
    const used = new Date(now());
    // If this fails, the file only looks older than it is.
    await utimes(target.file, used, used).catch(() => undefined);
    return toArguments(root);
  };

  return {
    save,
    read,
    async copy(fromId, toId, changes = {}, unsaved = {}) {
      const saved = (await read(fromId)) ?? unsaved;
      // Codex 0.166 restores the sandbox with which a session was started, not the one that a turn chose.
      await save(toId, { ...saved, ...changes }, { forgetsPolicy: true });
    },
  };
}

/** Returns undefined for an id that Codex would not create, because it could name a file elsewhere. */
function fileOf(folder: string, sessionId: string): PrivateJson | undefined {
  if (!/^[0-9A-Za-z-]{1,80}$/.test(sessionId)) return undefined;
  const file = join(folder, `${sessionId}.json`);
  const remedy = 'Delete it to continue that session without its original settings.';
  return openPrivateJson({ file, version: 1, maxBytes: MAX_BYTES, subject: 'The settings of the session', remedy });
}

function toArguments(root: JsonValue): SavedArguments {
  const config = pick(root, 'config');
  return omitUndefined({
    workingDirectory: readOptional(root, readNonEmptyString, 'workingDirectory'),
    skipGitRepoCheck: readOptional(root, readBoolean, 'skipGitRepoCheck'),
    model: readOptional(root, readString, 'model'),
    effort: readOptional(root, readString, 'effort'),
    approvalPolicy: readOptional(root, (value) => readOneOf(value, POLICIES), 'approvalPolicy'),
    sandbox: readOptional(root, (value) => readOneOf(value, SANDBOX_MODES), 'sandbox'),
    addDirs: readOptional(root, readStrings, 'addDirs'),
    profile: readOptional(root, readString, 'profile'),
    config: config === undefined ? undefined : readObject(config),
    compactPrompt: readOptional(root, readString, 'compactPrompt'),
  });
}

const POLICIES = ['untrusted', 'on-request', 'never'] as const;

async function prune(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ file: join(folder, name), usedAt: (await stat(join(folder, name))).mtimeMs })),
  );
  const newestFirst = files.sort((one, other) => other.usedAt - one.usedAt);
  const tooMany = newestFirst.filter(({ usedAt }, index) => index >= MAX_FILES || now - usedAt > MAX_AGE_MS);
  await Promise.all(tooMany.map(({ file }) => rm(file, { force: true })));
}
