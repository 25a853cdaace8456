import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type ClientId, findClient } from '../../clients/clients.ts';
import { commitPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { tildePath } from '../../clients/import/plan-import.ts';
import type { SetupJournal } from '../../clients/setup/journal.ts';
import { removeConfigFolder, removeEmptyFiles } from '../../clients/setup/remove-empty-files.ts';
import { type Kept, type Undone, undoConfig, undoRecords, undoSecrets } from '../../clients/setup/undo-import.ts';
import { listVariables } from '../../config/entry/variable-uses.ts';
import { serverCommand } from '../../config/next-command.ts';
import { restoreTrust } from '../../config/trust/restore-trust.ts';
import { namedTargets } from '../connect/choose-targets.ts';
import { planDisconnects } from '../connect/disconnect.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { countText, type SetupRun } from './setup-run.ts';

/** One part of an undo. */
export interface UndoStep {
  /** For the message of a failure. */
  readonly name: string;
  run(): Promise<UndoOutcome>;
  /** Returns the journal without what was undone. */
  readonly done?: (journal: SetupJournal) => SetupJournal;
}

interface UndoOutcome {
  /** What was done, in sentences. */
  readonly done: readonly string[];
  readonly kept?: readonly KeptItem[];
}

/** Something that setup added and that undo did not remove. */
export interface KeptItem {
  readonly kind: 'server' | 'secret';
  readonly name: string;
  readonly reason: Kept['reason'];
  /** The command that removes it. */
  readonly remove: string;
}

/** Returns the steps in an order that keeps every client working in between. */
export function undoSteps(journal: SetupJournal, run: SetupRun): readonly UndoStep[] {
  const { environment } = run;
  const { config, secrets, records, trusted, created } = journal;
  return [
    ...journal.connected.map((client) => disconnectStep(client, run)),
    ...journal.signIns.map((id) => signOutStep(id, run)),
    {
      name: 'Imported servers',
      async run() {
        undoRecords(records, environment);
        if (config === undefined) return { done: [] };
        const undone = undoConfig(config, environment);
        if (created.includes(config.file)) removeConfigFolder(config.file);
        const place = ` from ${escapeInvisible(tildePath(config.file, environment))}`;
        return {
          done: removedTexts(undone, 'imported server', place),
          kept: keptItems(undone, 'server', (id) => serverCommand('remove', id, ' --scope global')),
        };
      },
      done: ({ config: _, ...others }) => ({ ...others, records: [] }),
    },
    {
      name: 'Stored secrets',
      async run() {
        const { servers } = await loadEveryServer(run.context);
        const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
        const needed = new Set(entries.flatMap(listVariables));
        const undone = undoSecrets(secrets, { needed, environment });
        const remove = (name: string) => `${programName()} secret remove ${quoteForShell(name)}`;
        return { done: removedTexts(undone, 'stored secret'), kept: keptItems(undone, 'secret', remove) };
      },
      done: (before) => ({ ...before, secrets: {} }),
    },
    {
      name: 'Trust',
      async run() {
        if (trusted.length === 0) return { done: [] };
        restoreTrust(trusted, environment);
        return { done: trusted.map(({ file }) => `Restored the earlier trust in ${escapeInvisible(file)}.`) };
      },
      done: (before) => ({ ...before, trusted: [] }),
    },
    {
      name: 'Own files',
      async run() {
        removeEmptyFiles(created, environment);
        return { done: [] };
      },
    },
  ];
}

function disconnectStep(client: ClientId, { environment }: SetupRun): UndoStep {
  const title = findClient(client)?.title ?? client;
  return {
    name: title,
    async run() {
      const store = openConnections(environment);
      const planned = await planDisconnects(namedTargets([client]), { store, environment });
      const done = planned.map((one) => {
        const { next } = commitPlan(one, store);
        const file = escapeInvisible(tildePath(one.file, environment));
        return `Disconnected ${title}: ${next === undefined ? 'removed' : 'restored'} ${file}.`;
      });
      return { done };
    },
    done: (before) => ({ ...before, connected: before.connected.filter((one) => one !== client) }),
  };
}

function signOutStep(id: string, { context }: SetupRun): UndoStep {
  return {
    name: `Sign-in to ${quoteIfNeeded(id)}`,
    async run() {
      const { logOut } = await import('../mcp/login/sign-ins.ts');
      const { wasSignedIn } = await logOut(id, { mustRevoke: true, context });
      return { done: wasSignedIn ? [`Signed out of ${quoteIfNeeded(id)}.`] : [] };
    },
    done: (before) => ({ ...before, signIns: before.signIns.filter((one) => one !== id) }),
  };
}

function removedTexts({ removed }: Undone, noun: string, place = ''): readonly string[] {
  return removed.length === 0 ? [] : [`Removed ${countText(removed.length, noun)}${place}.`];
}

function keptItems({ kept }: Undone, kind: KeptItem['kind'], remove: (name: string) => string): readonly KeptItem[] {
  return kept.map((one) => ({ kind, ...one, remove: remove(one.name) }));
}
