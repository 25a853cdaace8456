import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Block } from './blocks.ts';

/** The setup to check and run the programs in a document. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export function isFile({ language }: Block): boolean {
  return language === 'js' || language === 'ts';
}

export function nameOf({ role, line, language }: Block): string {
  return role.startsWith('file=') ? role.slice(5) : `line-${line}.${language === 'js' ? 'mjs' : 'ts'}`;
}

/** The names of tests, each with its block. */
export function named(blocks: readonly Block[]): readonly [string, Block][] {
  return blocks.map((block) => [`line ${block.line}`, block]);
}

/** Writes the blocks that are files into a folder, each under its name. */
export function writeFiles(folder: string, files: readonly Block[]): void {
  for (const file of files) {
    const path = join(folder, nameOf(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.code);
  }
}

/** Type-checks these files with strict settings. Our packages are resolved by their own name. */
export async function checkTypes(folder: string, files: readonly string[], env: Record<string, string>) {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'], types: ['node'] },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'];
  return runIn({ cwd: folder, command: process.execPath, args, env });
}

export interface RunOptions {
  readonly cwd: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly timeoutMs?: number;
}

export async function runIn({ cwd, command, args, env, timeoutMs = 55_000 }: RunOptions) {
  const started = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
  const [out, err, [status]] = await Promise.all([
    readAll(started.stdout),
    readAll(started.stderr),
    once(started, 'close'),
  ]);
  return { status, out, err };
}
