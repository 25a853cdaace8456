import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CodexAge, findCodex } from '../codex/codex-binary.ts';

const run = promisify(execFile);
const TEMPORARY = fileURLToPath(new URL('../.tmp/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const STRICTLY = [
  '--ignoreConfig',
  '--strict',
  '--noEmit',
  '--target',
  'es2023',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
];

/** The types of the app-server's protocol, as a Codex itself writes them down. */
export interface Bindings {
  /** Compiles one declaration for each, and returns the complaints, each with the number of the declaration. */
  check(declarations: readonly Declaration[]): Promise<readonly Complaint[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Declaration {
  /** Types of the bindings that it needs. */
  readonly uses: readonly string[];
  readonly text: string;
}

interface Complaint {
  readonly index: number;
  readonly message: string;
}

export async function openBindings(age: CodexAge): Promise<Bindings> {
  const root = join(TEMPORARY, randomUUID());
  const folder = join(root, 'bindings');
  await mkdir(folder, { recursive: true });
  const { command, args } = findCodex(age);
  const env = { HOME: root, CODEX_HOME: root };
  await run(command, [...args, 'app-server', 'generate-ts', '--experimental', '--out', folder], { env });
  return {
    async check(declarations) {
      const imports = [...new Set(declarations.flatMap(({ uses }) => uses))].map((name) => toImport(folder, name));
      const lines = [imports.join(' '), ...declarations.map(({ text }) => text.replaceAll('\n', ' '))];
      const file = join(folder, `check-${randomUUID()}.ts`);
      await writeFile(file, `${lines.join('\n')}\n`);
      return compile(file);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

function toImport(folder: string, name: string): string {
  const place = existsSync(join(folder, 'v2', `${name}.ts`)) ? `./v2/${name}` : `./${name}`;
  return `import type { ${name} } from '${place}';`;
}

/** One declaration stands on each line, after one line of imports. */
async function compile(file: string): Promise<readonly Complaint[]> {
  const options = [...STRICTLY, '--types', '', '--pretty', 'false'];
  const { stdout } = await run(process.execPath, [COMPILER, ...options, file]).catch(toOutput);
  const found = stdout.matchAll(/^\S.*?\((\d+),\d+\): error (TS\d+: .*)$/gm);
  const complaints = [...found].map(([, line, message = '']) => ({ index: Number(line) - 2, message }));
  if (complaints.length === 0 && stdout.trim() !== '') throw new Error(`The compiler says: ${stdout}`);
  return complaints;
}

/** The compiler ends with a status when it has complaints, and they are what was asked for. */
function toOutput(error: unknown): { readonly stdout: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '')
    return { stdout: error.stdout };
  throw error;
}
