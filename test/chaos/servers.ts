import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadedConfig, ServerEntry } from '../../src/config/server-entry.ts';

export const SERVER_IDS: readonly string[] = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'];
/** Servers that allow only one instance at a time. */
const LOCKED: ReadonlySet<string> = new Set(['s2', 's5']);
const LAZY: ReadonlySet<string> = new Set(['s3', 's6']);

/** Timeout of a call. */
export const CALL_TIMEOUT_MS = 8_000;

/** The servers as the config has them now. */
export interface Servers {
  config(): LoadedConfig;
  isPresent(id: string): boolean;
  /** Returns whether the server has responded since it was added, so that its catalog is known. */
  isKnown(id: string): boolean;
  answered(id: string, version: number): void;
  isLocked(id: string): boolean;
  /** Starts at 1. Each version is a new process. */
  version(id: string): number;
  /** The part of the command line that identifies this server's processes. */
  mark(id: string): string;
  change(id: string): void;
  remove(id: string): void;
  add(id: string): void;
  /** Changes a setting that does not affect the process. */
  changeSettings(id: string): void;
}

/** `program` is the fixture that all of them run. */
export function createServers(folder: string, program = PROGRAM): Servers {
  const states = new Map(SERVER_IDS.map((id) => [id, { ...FIRST_STATE }]));
  const state = (id: string) => {
    const found = states.get(id);
    if (found === undefined) throw new Error(`There is no server ${id}.`);
    return found;
  };
  const journal = join(folder, 'journal');
  const toEntry = (id: string): ServerEntry => {
    const { version, timeoutMs } = state(id);
    const lock = LOCKED.has(id) ? [join(folder, `${id}.lock`)] : [];
    return {
      id,
      origin: ORIGIN,
      transport: {
        kind: 'stdio',
        command: process.execPath,
        args: [program, id, journal, ...lock],
        cwd: undefined,
        env: { VERSION: String(version) },
        envVars: [],
        inheritEnv: false,
        framing: 'ndjson',
      },
      tools: { allow: undefined, deny: [] },
      startupTimeoutMs: undefined,
      requestTimeoutMs: timeoutMs,
      start: LAZY.has(id) ? 'lazy' : 'eager',
      pin: false,
      sharesSignIn: false,
      restart: LOCKED.has(id) ? 'stop-first' : 'overlap',
      share: 'folder',
      expandsVariables: false,
    };
  };

  return {
    config() {
      const present = SERVER_IDS.filter((id) => state(id).isPresent);
      const servers = present.map((id) => {
        const verdict = { kind: 'usable', entry: toEntry(id) } as const;
        return { id, origin: ORIGIN, verdict };
      });
      return { servers, problems: [], files: [] };
    },
    isPresent: (id) => state(id).isPresent,
    isKnown: (id) => state(id).answered >= state(id).added,
    answered(id, version) {
      state(id).answered = Math.max(state(id).answered, version);
    },
    isLocked: (id) => LOCKED.has(id),
    version: (id) => state(id).version,
    mark: (id) => ` ${id} ${journal}`,
    change(id) {
      state(id).version++;
    },
    remove(id) {
      state(id).isPresent = false;
    },
    add(id) {
      state(id).added = ++state(id).version;
      state(id).isPresent = true;
    },
    changeSettings(id) {
      state(id).timeoutMs = CALL_TIMEOUT_MS + (state(id).timeoutMs === CALL_TIMEOUT_MS ? 1 : 0);
    },
  };
}

/** `added` is the version at which it was last added, `answered` the newest version that has responded. */
const FIRST_STATE = { version: 1, isPresent: true, timeoutMs: CALL_TIMEOUT_MS, added: 1, answered: 0 };
const PROGRAM = fileURLToPath(new URL('fixtures/injects-faults.mjs', import.meta.url));
const ORIGIN = { layer: 'global', file: '/chaos/config.json', line: 1 } as const;
