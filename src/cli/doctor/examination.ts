import { openProcesses, type Processes } from '../../base/process/processes.ts';
import type { CodexFacts } from '../../codex/engines/inspect-codex.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Definitions } from '../../config/load-config.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import type { Section } from './finding.ts';

/** Everything that checks read. Loaded once and shared by all of them. */
export interface Examination {
  readonly context: CommandContext;
  readonly environment: Environment;
  readonly definitions: Definitions;
  readonly processes: Processes;
  /** For each server. */
  readonly timeoutMs: number;
  /** Inspects Codex once, however many checks ask. */
  inspectCodex(): Promise<CodexFacts>;
}

/** Prepares an examination. Close it when all checks are done: it owns the processes that they start. */
export function openExamination(options: Pick<Examination, 'context' | 'definitions' | 'timeoutMs'>): {
  readonly examination: Examination;
  close(): Promise<void>;
} {
  const { env } = options.context;
  const environment = environmentOf(options.context);
  const processes = openProcesses({ env });
  const inspectCodex = once(async () => {
    const codex = await import('../../codex/engines/inspect-codex.ts');
    return codex.inspectCodex({ environment, arch: process.arch, processes });
  });
  return { examination: { ...options, environment, processes, inspectCodex }, close: () => processes.close() };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** Examines one subject. A thrown error becomes a failure of its section and does not affect the others. */
export type Check = (examination: Examination) => Section | Promise<Section>;

/** Returns the servers that clients can use. */
export function usableEntries({ servers }: Pick<Definitions, 'servers'>): readonly ServerEntry[] {
  return servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
}
