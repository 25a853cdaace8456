import type { AppError } from '../../../base/errors.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { StartFailure } from '../../../upstream/catalog-cache/failure-cache.ts';
import { type TestOptions, type TestReport, testServer } from '../../../upstream/entry/test-server.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';

export interface TestAndCacheOptions extends Pick<TestOptions, 'profile' | 'signal'> {
  readonly startupTimeoutMs: number | undefined;
  /** Limits the whole test. */
  readonly deadlineMs?: number;
  readonly context: CommandContext;
}

/**
 * Tests a server and caches its lists, so that the next client gets them at once, or its failure, so that no client
 * waits for it.
 */
export async function testAndCache(
  entry: ServerEntry,
  { profile, startupTimeoutMs, deadlineMs, signal, context }: TestAndCacheOptions,
): Promise<TestReport> {
  const [report, { openServerCache, NO_CAPABILITIES }] = await Promise.all([
    testServer({ entry, environment: environmentOf(context), profile, startupTimeoutMs, deadlineMs, signal }),
    // Loads while the server starts.
    import('../servers/server-cache.ts'),
  ]);
  const { offered, failed } = report;
  // Nothing else would find the data of a server that is not configured.
  if (entry.origin.target !== undefined) return report;
  const cache = openServerCache(context);
  if (offered !== undefined) cache.storeCatalog(entry, NO_CAPABILITIES, offered);
  // A server that has listed its tools is worth waiting for. With a custom time limit, a failure proves nothing.
  else if (failed !== undefined && failed.step !== 'lists' && startupTimeoutMs === undefined)
    cache.storeFailure(entry, toStartFailure(failed.error));
  return report;
}

/** Converts the failure to the form that a gateway records: a failed list counts as a refused request. */
function toStartFailure({ code, message }: AppError): StartFailure {
  if (code !== 'LIST_FAILED') return { code, message };
  return { code: 'REQUEST_FAILED', message: message.replace('it is degraded: ', '') };
}
