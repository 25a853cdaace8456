import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { formatProblem } from '../../../config/problem.ts';
import type { ConfigProblem, ServerEntry } from '../../../config/server-entry.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions, type Scope } from '../config/definitions.ts';

export interface TestSelection {
  /** Undefined selects all enabled servers. */
  readonly id: string | undefined;
  readonly scope: Scope | undefined;
}

/** The servers to test. */
export interface TestSubjects {
  readonly entries: readonly ServerEntry[];
  /** Invalid entries: each counts as a failure. */
  readonly malformed: readonly MalformedEntry[];
  /** Unreadable files: their servers are unknown. */
  readonly unreadable: readonly ConfigProblem[];
  /** Untrusted servers. They are not started. */
  readonly skipped: readonly { readonly server: string; readonly reason: string }[];
}

export interface MalformedEntry extends Pick<ServerEntry, 'id' | 'origin'> {
  readonly reason: string;
}

/** Selects the server of this id, or all enabled ones. */
export async function chooseSubjects({ id, scope }: TestSelection, context: CommandContext): Promise<TestSubjects> {
  const definitions = await readDefinitions(environmentOf(context), scope);
  if (id === undefined) return allSubjects(definitions);
  return onlySubject(await chooseEntryFrom(definitions, { id, scope, action: 'test' }));
}

/** Tests one server, configured or typed. */
export function onlySubject(entry: ServerEntry): TestSubjects {
  return { entries: [entry], malformed: [], unreadable: [], skipped: [] };
}

function allSubjects({ servers, skipped: leftOut, files, problems }: Definitions): TestSubjects {
  const broken = new Set(files.filter(({ state }) => state === 'broken').map(({ file }) => file));
  const subjects = {
    entries: servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : [])),
    malformed: [
      ...servers.flatMap(({ id, origin, verdict }) =>
        verdict.kind === 'error' ? { id, origin, reason: verdict.reason } : [],
      ),
      ...leftOut.map(({ id, origin, problem }) => ({ id, origin, reason: formatProblem(problem) })),
    ],
    unreadable: problems.filter(({ file }) => broken.has(file)),
  };
  const skipped = servers.flatMap(({ id, verdict }) =>
    verdict.kind === 'disabled' && verdict.isUntrusted ? { server: id, reason: escapeInvisible(verdict.reason) } : [],
  );
  if (Object.values(subjects).some((some) => some.length > 0)) return { ...subjects, skipped };
  if (skipped.length > 0) throw new AppError('DENIED', skippedText(skipped), { data: { skipped } });
  throw new AppError('USAGE', 'There is no configured server to test. Add one with switchboard mcp add.');
}

export function skippedText(skipped: TestSubjects['skipped']): string {
  return `Not tested: ${skipped.map(({ server, reason }) => `${quoteIfNeeded(server)} (${reason})`).join(', ')}`;
}
