import { isAppError } from '../../base/errors.ts';
import { type PlannedFile, previewPlan } from '../../clients/connect/commit-plan.ts';
import type { ConnectionStore } from '../../clients/connect/connections.ts';
import type { FilePlan } from '../../clients/connect/plan-disconnect.ts';

export interface ClientPreview extends Pick<PlannedFile, 'format'> {
  readonly planned: PlannedFile;
  readonly plan: FilePlan;
}

/** A client that cannot be connected. */
export interface SkippedClient {
  readonly client: string;
  readonly title: string;
  readonly reason: string;
}

interface PreviewOptions {
  readonly store: ConnectionStore;
  /** Whether the user named the clients. Otherwise one that cannot be connected does not affect the others. */
  readonly areNamed: boolean;
}

/** Plans the change of each client, without writing anything. Throws if no client can be connected. */
export function previewEach(
  all: readonly PlannedFile[],
  { store, areNamed }: PreviewOptions,
): { readonly previews: readonly ClientPreview[]; readonly skipped: readonly SkippedClient[] } {
  const previews: ClientPreview[] = [];
  const skipped: SkippedClient[] = [];
  for (const planned of all) {
    try {
      previews.push({ planned, plan: previewPlan(planned, store), format: planned.format });
    } catch (error) {
      const isOnly = previews.length === 0 && skipped.length === all.length - 1;
      if (areNamed || isOnly || !isAppError(error)) throw error;
      const { id, title } = planned.target.client;
      skipped.push({ client: id, title, reason: error.message });
    }
  }
  return { previews, skipped };
}
