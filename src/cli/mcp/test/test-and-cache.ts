import type { AppError } from '../../../base/errors.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { isToolEnabled } from '../../../config/tool-filter.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import { readDefinitionList } from '../../../schema/definitions/definition-list.ts';
import type { StartFailure } from '../../../upstream/catalog-cache/failure-cache.ts';
import { type TestOptions, type TestReport, testServer } from '../../../upstream/entry/test-server.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';

export interface TestAndCacheOptions extends Pick<TestOptions, 'profile' | 'signal' | 'onOutput'> {
  readonly startupTimeoutMs: number | undefined;
  /** Limits the whole test. */
  readonly deadlineMs?: number;
  readonly context: CommandContext;
}

/**
 * Tests a server and caches the outcome: its lists and the names of its tools, so that the next client gets them at
 * once, or its failure, so that no client waits for it.
 */
export async function testAndCache(
  entry: ServerEntry,
  { startupTimeoutMs, context, ...options }: TestAndCacheOptions,
): Promise<TestReport> {
  const [report, { openServerCache, NO_CAPABILITIES }, { storeNames }] = await Promise.all([
    testServer({ entry, environment: environmentOf(context), startupTimeoutMs, ...options }),
    // Loads while the server starts.
    import('../servers/server-cache.ts'),
    import('../../completion/store-names.ts'),
  ]);
  const { offered, failed } = report;
  // Nothing else would find the data of a server that is not configured.
  if (entry.origin.target !== undefined) return report;
  const cache = openServerCache(context);
  if (offered !== undefined) {
    cache.storeCatalog(entry, NO_CAPABILITIES, offered);
    storeNames(environmentOf(context), [{ id: entry.id, tools: visibleTools(entry, offered.lists.tools) }]);
  }
  // A server that has listed its tools is worth waiting for.
  else if (failed !== undefined && failed.step !== 'lists' && isConclusive(failed.error, startupTimeoutMs))
    cache.storeFailure(entry, toStartFailure(failed.error));
  return report;
}

/** A failure within a short time limit proves nothing, unless the program is missing. Nor does Ctrl-C. */
function isConclusive({ code }: AppError, limitMs: number | undefined): boolean {
  if (code === 'CANCELLED') return false;
  return limitMs === undefined || limitMs >= MIN_CONCLUSIVE_MS || code === 'SPAWN_FAILED';
}

const MIN_CONCLUSIVE_MS = 10_000;

/** Returns the tools that clients see, for completion and for the tool counts of clients. */
function visibleTools({ tools }: ServerEntry, pages: readonly Buffer[] = []): readonly Definition[] {
  return readDefinitionList('tools', pages).items.filter(({ key }) => isToolEnabled(tools, key));
}

/** Converts the failure to the form that a gateway records: a failed list counts as a refused request. */
function toStartFailure({ code, message }: AppError): StartFailure {
  if (code !== 'LIST_FAILED') return { code, message };
  return { code: 'REQUEST_FAILED', message: message.replace('it is degraded: ', '') };
}
