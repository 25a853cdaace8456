import { type EngineKind, openEngine } from '../../src/codex/engines/open-engine.ts';
import type { OpenEngine } from './engine-testbed.ts';

/** An engine of the product, located and opened as in the command line. */
export function openEngineOfKind(kind: EngineKind): OpenEngine {
  return ({ processes, home, env }, listener) =>
    openEngine(
      {
        kind,
        processes,
        environment: { cwd: home.workDir, home: home.rootDir, env, platform: process.platform },
        arch: process.arch,
        codexHome: home.codexDir,
        wantsDeltas: false,
        log: { debug: () => {}, warn: () => {} },
      },
      listener,
    );
}
