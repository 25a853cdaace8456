import { setTimeout as sleep } from 'node:timers/promises';
import { createRedactor } from '../../src/base/redaction/redact.ts';
import { openPinStore } from '../../src/config/trust/pin-store.ts';
import { type AggregateGateway, openAggregateGateway } from '../../src/gateway/open/open-aggregate.ts';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import type { Servers } from './servers.ts';

interface Environment {
  /** Where catalogs are kept. */
  readonly folder: string;
  /** Contains the mark, so that leftover processes can be found. */
  readonly env: Readonly<Record<string, string>>;
}

/** Opens the gateway in this process. Clients connect to it without a pipe. */
export function openChaosGateway(servers: Servers, { folder, env }: Environment): AggregateGateway {
  const testEnvironment = { cwd: folder, home: folder, env, platform: process.platform };
  return openAggregateGateway({
    environment: testEnvironment,
    config: servers.config(),
    redactor: createRedactor([]),
    hasPrefix: true,
    profile: undefined,
    cache: openCatalogCache({ folder, now: Date.now, onProblem: () => {} }),
    pins: () => openPinStore(testEnvironment),
    settings: {
      isErrorPassthrough: false,
      hasSummary: false,
      isDebug: false,
      listTimeoutMs: 4_000,
      isListTimeoutSet: true,
      initTimeoutMs: 4_000,
    },
    log: { debug: () => {}, warn: () => {}, notification: () => {} },
  });
}

const KNOWN_WITHIN_MS = 20_000;

/** Runs once to cache the catalogs, so that lazy servers start as idle. */
export async function cacheCatalogs(servers: Servers, testEnvironment: Environment): Promise<void> {
  const gateway = openChaosGateway(servers, testEnvironment);
  const settled = new Promise<void>((resolve) => gateway.onSettled(KNOWN_WITHIN_MS, resolve));
  gateway.start();
  await Promise.race([settled, sleep(KNOWN_WITHIN_MS)]);
  await gateway.close();
}
