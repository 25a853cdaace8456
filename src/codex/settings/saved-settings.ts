import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateJson, readPrivateJson, writePrivateJson } from '../../config/files/private-json.ts';
import {
  pick,
  readBoolean,
  readFilledString,
  readObject,
  readString,
  readStrings,
  readWord,
  take,
} from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import { SANDBOX_MODES } from '../item-types.ts';
import type { StartArguments } from './start-settings.ts';

/** The settings that a caller chose for a session, named as in `codex_start`. */
export type KeptArguments = Pick<StartArguments, (typeof FORGOTTEN)[number] | (typeof BESIDE)[number]>;

/** Codex does not restore these when a session is resumed. */
const FORGOTTEN = ['addDirs', 'profile', 'config', 'compactPrompt'] as const;
/** Codex restores most of these itself, but a profile or `config` that is passed again would override them. */
const BESIDE = ['workingDirectory', 'skipGitRepoCheck', 'model', 'effort', 'approvalPolicy', 'sandbox'] as const;

/** Stores the settings of each session in a private file, because `config` may contain secrets. */
export interface KeptSettings {
  /** Throws if they cannot be stored. Stores nothing for a session without settings that Codex forgets. */
  keep(sessionId: string, given: KeptArguments): Promise<void>;
  /** Undefined if nothing was stored. Throws if the file is damaged, so that no session resumes with other settings. */
  read(sessionId: string): Promise<KeptArguments | undefined>;
  /** For a later turn that changes settings, and for a fork, which inherits those of its session. */
  copy(fromId: string, toId: string, changes?: KeptArguments): Promise<void>;
}

const MAX_BYTES = 256 * 1024;
/** Above this number, the least recently used files are deleted. */
const MAX_KEPT = 500;
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/** `parent` is Switchboard's data folder. */
export function openKeptSettings(parent: string, now: () => number = Date.now): KeptSettings {
  const folder = join(parent, 'codex-sessions');

  const keep = async (sessionId: string, given: KeptArguments) => {
    if (FORGOTTEN.every((name) => given[name] === undefined)) return;
    const kind = fileOf(folder, sessionId);
    if (kind === undefined) return;
    writePrivateJson(kind, Object.fromEntries([...BESIDE, ...FORGOTTEN].map((name) => [name, given[name]])));
    await prune(folder, now()).catch(() => undefined);
  };

  const read = async (sessionId: string) => {
    const kind = fileOf(folder, sessionId);
    const root = kind === undefined ? undefined : readPrivateJson(kind);
    if (kind === undefined || root === undefined) return undefined;
    const used = new Date(now());
    // If this fails, the file only looks older than it is.
    await utimes(kind.file, used, used).catch(() => undefined);
    return toArguments(root);
  };

  return {
    keep,
    read,
    async copy(fromId, toId, changes = {}) {
      const kept = await read(fromId);
      if (kept !== undefined) await keep(toId, { ...kept, ...changes });
    },
  };
}

/** Undefined for an id that Codex would not create, which could name a file elsewhere. */
function fileOf(folder: string, sessionId: string): PrivateJson | undefined {
  if (!/^[0-9A-Za-z-]{1,80}$/.test(sessionId)) return undefined;
  const file = join(folder, `${sessionId}.json`);
  const remedy = 'Delete it to continue that session without the settings with which it was started.';
  return { file, version: 1, maxBytes: MAX_BYTES, subject: 'The settings of the session', remedy };
}

function toArguments(root: JsonValue): KeptArguments {
  const config = pick(root, 'config');
  return withoutUndefined({
    workingDirectory: take(root, readFilledString, 'workingDirectory'),
    skipGitRepoCheck: take(root, readBoolean, 'skipGitRepoCheck'),
    model: take(root, readString, 'model'),
    effort: take(root, readString, 'effort'),
    approvalPolicy: take(root, (value) => readWord(value, POLICIES), 'approvalPolicy'),
    sandbox: take(root, (value) => readWord(value, SANDBOX_MODES), 'sandbox'),
    addDirs: take(root, readStrings, 'addDirs'),
    profile: take(root, readString, 'profile'),
    config: config === undefined ? undefined : readObject(config),
    compactPrompt: take(root, readString, 'compactPrompt'),
  });
}

const POLICIES = ['untrusted', 'on-request', 'never'] as const;

function withoutUndefined<Members extends object>(members: Members): Defined<Members> {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Defined<Members>;
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

async function prune(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ file: join(folder, name), usedAt: (await stat(join(folder, name))).mtimeMs })),
  );
  const newestFirst = files.sort((one, other) => other.usedAt - one.usedAt);
  const tooMany = newestFirst.filter(({ usedAt }, place) => place >= MAX_KEPT || now - usedAt > MAX_AGE_MS);
  await Promise.all(tooMany.map(({ file }) => rm(file, { force: true })));
}
