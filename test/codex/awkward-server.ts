import { fileURLToPath } from 'node:url';
import type { CommandLine } from '../interop/programs.ts';
import { runsCodex } from './ages.ts';
import type { CodexAge } from './codex-binary.ts';
import { awkwardTools, fatalTools, unreadableTools } from './fixtures/awkward-tools.mjs';
import type { ShownTool } from './model-tools.ts';

/** One way in which Codex presents tools to a model. */
export interface Face {
  readonly face: 'direct' | 'search' | 'code' | 'old';
  readonly age: CodexAge;
  readonly model: string;
}

export const OLD: Face = { face: 'old', age: 'old', model: 'a-name-codex-does-not-know' };

/** Three surfaces of the current Codex, and the one of the old Codex. */
const ALL: readonly Face[] = [
  { face: 'direct', age: 'today', model: 'a-name-codex-does-not-know' },
  { face: 'search', age: 'today', model: 'gpt-5.5' },
  { face: 'code', age: 'today', model: 'gpt-6.1-sol' },
  OLD,
];

/** Those of the Codex versions that this project runs. */
export const faces = ALL.filter(({ age }) => runsCodex(age));

export const allTools = [...awkwardTools, ...fatalTools, ...unreadableTools];

/** A server that offers these tools. */
export function awkwardServer(...names: readonly string[]): CommandLine {
  const path = fileURLToPath(new URL('fixtures/awkward-server.mjs', import.meta.url));
  return { command: process.execPath, args: [path, ...names] };
}

/** Identifies a tool by its description, because its name changes on the way to the model. */
export function rawNameOf({ description }: Pick<ShownTool, 'description'>): string {
  return /Takes "([^"]*)", which is awkward/u.exec(description)?.[1] ?? description;
}
