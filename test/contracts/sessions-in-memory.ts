import { Sessions } from '../../src/codex/sessions/sessions.ts';
import { createMemoryEngine, type MemoryEngine, type MemoryEngineOptions } from './engine-in-memory.ts';

export interface MemorySessionsOptions extends MemoryEngineOptions {
  readonly maxSessions?: number;
}

/** Sessions on an engine without Codex, and their warnings. */
export function openMemorySessions({ maxSessions = 10, ...options }: MemorySessionsOptions = {}) {
  const warnings: string[] = [];
  const made: MemoryEngine[] = [];
  const sessions = new Sessions({
    createEngine(listener) {
      const engine = createMemoryEngine(listener, options);
      made.push(engine);
      return engine;
    },
    limits: { maxSessions, maxEvents: 100 },
    approvals: { timeoutMs: 60_000, deciders: 'any', allowsPermanent: false },
    log: { debug: () => {}, info: () => {}, warn: (text) => warnings.push(text) },
  });
  const [engine] = made;
  if (engine === undefined) throw new Error('no engine was made');
  return { sessions, engine, warnings };
}
