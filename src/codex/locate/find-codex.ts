import { open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type Environment, resolvePath } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';
import { assertNotWritableBySessions } from '../limits/refuse-writable.ts';
import type { FindWritableFolder } from '../limits/writable-folders.ts';
import { codexHome } from './codex-home.ts';
import { findNativeBinary } from './native-binary.ts';
import { findInPath, isProgram } from './path-search.ts';

/** How to start Codex. */
export interface CodexProgram {
  readonly command: string;
  /** Arguments that come before all others. */
  readonly args: readonly string[];
  /** The full environment for the process: this server's, and the variables that npm's script would add. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the command starts Codex without a script in between, as far as can be determined. */
  readonly isNative: boolean;
  /** The path and the variable that named it, for messages. */
  readonly where: string;
}

export interface Machine extends Environment {
  /** As in `process.arch`. */
  readonly arch: string;
}

/**
 * Finds the Codex that `CODEX_CLI_PATH` names, otherwise the one in PATH. If that is a script of npm, pnpm or bun,
 * finds the native program behind it, because the script costs a second process and about 400 ms per start. Any other
 * program is started as it is. Throws DENIED for a Codex that sessions could replace.
 */
export async function findCodex(
  machine: Machine,
  findWritableFolder: FindWritableFolder = () => undefined,
): Promise<CodexProgram> {
  const { file, namedBy } = await findFile(machine, findWritableFolder);
  const refuse = (program: string) =>
    assertNotWritableBySessions(program, {
      what: 'The Codex executable',
      install: INSTALL_ELSEWHERE,
      findWritableFolder,
    });
  refuse(file);
  const env = buildEnv(machine);
  const where = `${escapeInvisible(file)} (${namedBy})`;
  const native = await findNativeBinary(file, { ...machine, env });
  if (native !== undefined) refuse(native.command);
  if (native !== undefined) return { ...native, args: [], isNative: true, where };
  return { command: file, args: [], env, isNative: await isNative(file), where };
}

interface FoundFile {
  readonly file: string;
  readonly namedBy: 'CODEX_CLI_PATH' | 'PATH';
}

async function findFile(machine: Machine, findWritableFolder: FindWritableFolder): Promise<FoundFile> {
  const named = lookUpVariable(machine.env, 'CODEX_CLI_PATH', machine.platform) ?? '';
  if (named === '') {
    const file = await firstInPath('codex', machine, findWritableFolder);
    if (file !== undefined) return { file, namedBy: 'PATH' };
    throw codexMissing(
      `Codex was not found: codex is not on PATH. ${INSTALL}, or set CODEX_CLI_PATH to its executable.`,
    );
  }
  const isPath = named === '~' || named.includes('/') || (machine.platform === 'win32' && named.includes('\\'));
  const file = isPath ? await findConfigured(named, machine) : await firstInPath(named, machine, findWritableFolder);
  if (file !== undefined) return { file, namedBy: 'CODEX_CLI_PATH' };
  throw codexMissing(`CODEX_CLI_PATH names ${quoteIfNeeded(named)}, but it is not on PATH. ${FIX_PATH}.`);
}

/** Returns the first program that no session could have planted, or the first one if there is none. */
async function firstInPath(
  name: string,
  machine: Machine,
  findWritableFolder: FindWritableFolder,
): Promise<string | undefined> {
  let first: string | undefined;
  for await (const file of findInPath(name, machine)) {
    if (findWritableFolder(file) === undefined) return file;
    first ??= file;
  }
  return first;
}

const INSTALL_ELSEWHERE = 'Install Codex elsewhere ("npm install -g @openai/codex") and set CODEX_CLI_PATH to it';
const INSTALL = 'Install it with "npm install -g @openai/codex"';
const FIX_PATH = `Set it to the Codex executable, or unset it to use the codex on PATH. ${INSTALL} if there is none`;

/** Throws if a configured path does not lead to a program: another Codex is never used in its place. */
async function findConfigured(named: string, machine: Machine): Promise<string> {
  const file = resolvePath(named, machine);
  const displayed = escapeInvisible(file);
  // The file does not exist, or a parent folder is not accessible: it cannot be started in either case.
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw codexMissing(`CODEX_CLI_PATH names ${displayed}, which does not exist. ${FIX_PATH}.`);
  if (found.isDirectory())
    throw codexMissing(`CODEX_CLI_PATH names ${displayed}, which is a folder: set it to the executable inside it.`);
  if (!(await isProgram(file, machine.platform)))
    throw codexMissing(`CODEX_CLI_PATH names ${displayed}, which is not executable: check its permissions.`);
  return file;
}

function buildEnv(machine: Machine): CodexProgram['env'] {
  const isSet = (lookUpVariable(machine.env, 'CODEX_HOME', machine.platform) ?? '') !== '';
  return isSet ? { ...machine.env, CODEX_HOME: codexHome(machine) } : machine.env;
}

async function isNative(file: string): Promise<boolean> {
  if (['.cmd', '.bat', '.ps1', '.js'].includes(extname(file).toLowerCase())) return false;
  try {
    await using handle = await open(file);
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString('latin1') !== '#!';
  } catch {
    // The program is executable but not readable.
    return true;
  }
}

function codexMissing(message: string): AppError {
  return new AppError('CODEX_MISSING', message);
}
