import { openProcesses, type Processes } from '../../base/process/processes.ts';
import type { CodexFacts } from '../../codex/engines/inspect-codex.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Definitions } from '../../config/load-config.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import type { Section } from './finding.ts';

/** Everything that checks read. Loaded once and shared by all of them. */
export interface CheckContext {
  readonly context: CommandContext;
  readonly environment: Environment;
  readonly definitions: Definitions;
  readonly processes: Processes;
  /** For each server. */
  readonly timeoutMs: number;
  /** Inspects Codex once, however many checks ask. */
  inspectCodex(): Promise<CodexFacts>;
}

/** Opens the context of all checks. Close it when all checks are done: it owns the processes that they start. */
export function openCheckContext(options: Pick<CheckContext, 'context' | 'definitions' | 'timeoutMs'>): {
  readonly checkContext: CheckContext;
  close(): Promise<void>;
} {
  const { env } = options.context;
  const environment = environmentOf(options.context);
  const processes = openProcesses({ env });
  const inspectCodex = once(async () => {
    const codex = await import('../../codex/engines/inspect-codex.ts');
    return codex.inspectCodex({ environment, arch: process.arch, processes });
  });
  return { checkContext: { ...options, environment, processes, inspectCodex }, close: () => processes.close() };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** Checks one subject. A thrown error becomes a failure of its section and does not affect the others. */
export type Check = (checkContext: CheckContext) => Section | Promise<Section>;

/** Returns the servers that clients can use. */
export function usableEntries({ servers }: Pick<Definitions, 'servers'>): readonly ServerEntry[] {
  return servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
}
