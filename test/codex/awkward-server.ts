import { fileURLToPath } from 'node:url';
import type { CommandLine } from '../interop/programs.ts';
import type { CodexRelease } from './codex-binary.ts';
import { awkwardTools, fatalTools, unreadableTools } from './fixtures/awkward-tools.mjs';
import type { ShownTool } from './model-tools.ts';
import { runsCodex } from './releases.ts';

/** One way in which Codex presents tools to a model. */
export interface ToolSurface {
  readonly kind: 'direct' | 'search' | 'code' | 'old';
  readonly release: CodexRelease;
  readonly model: string;
}

export const OLD: ToolSurface = { kind: 'old', release: 'old', model: 'a-name-codex-does-not-know' };

/** Three surfaces of the current Codex, and the one of the old Codex. */
const ALL: readonly ToolSurface[] = [
  { kind: 'direct', release: 'current', model: 'a-name-codex-does-not-know' },
  { kind: 'search', release: 'current', model: 'gpt-5.5' },
  { kind: 'code', release: 'current', model: 'gpt-6.1-sol' },
  OLD,
];

/** Those of the Codex versions that this project runs. */
export const toolSurfaces = ALL.filter(({ release }) => runsCodex(release));

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
