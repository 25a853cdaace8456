import { messageOf } from '../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { previewPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import type { DocumentFormat } from '../../clients/connect/format/document-format.ts';
import { disabledNames } from '../../clients/connect/plan-connect.ts';
import type { FilePlan } from '../../clients/connect/plan-disconnect.ts';
import { type ConnectTarget, userFile } from '../../clients/connect/targets.ts';
import { plannedEntries } from '../../clients/import/plan-import.ts';
import { planTarget, seenEntries } from '../connect/planned-target.ts';
import { connectOptions } from './connect-clients.ts';
import type { Overview } from './overview.ts';
import { countText, type SetupRun } from './setup-run.ts';

/** How connecting a client would change its file, or why that is impossible. */
export interface ClientPreview {
  readonly target: ConnectTarget;
  readonly file: string;
  /** Undefined if the file cannot be changed. */
  readonly change: { readonly plan: FilePlan; readonly format: DocumentFormat } | undefined;
  readonly fault: string | undefined;
  readonly servers: number;
}

/** Plans the connections as they will be after the import. Writes nothing and starts nothing. */
export async function previewClients(overview: Overview, run: SetupRun): Promise<readonly ClientPreview[]> {
  const { plan, records } = overview;
  const options = await connectOptions(run, { records, asksCodex: false, added: plannedEntries(plan) });
  const store = openConnections(run.environment);
  return Promise.all(
    overview.targets.map(async (target): Promise<ClientPreview> => {
      const { file } = userFile(target, run.environment);
      const servers = seenEntries(target.client.id, options).length;
      try {
        const planned = await planTarget(target, options);
        const change = { plan: previewPlan(planned, store), format: planned.format };
        return { target, file, change, fault: undefined, servers };
      } catch (error) {
        return { target, file, change: undefined, fault: messageOf(error), servers };
      }
    }),
  );
}

/** Formats one line per client, with a number to pick it by and the servers that Switchboard replaces there. */
export function clientLines(previews: readonly ClientPreview[]): readonly string[] {
  const width = Math.max(...previews.map(({ target }) => target.client.title.length));
  return previews.map(({ target, change, fault, servers }, index) => {
    const head = `  ${index + 1} ${target.client.title.padEnd(width)}  `;
    if (fault !== undefined) return `${head}cannot be connected: ${escapeInvisible(fault)}`;
    const replaced = change === undefined ? [] : disabledNames(change.plan);
    return `${head}${replaced.length === 0 ? `none; it will see ${countText(servers, 'server')}` : replaced.map(quoteIfNeeded).join(', ')}`;
  });
}
