import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
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
  /** Ids of servers that are switched off. */
  readonly disabled: readonly string[];
}

export interface MalformedEntry extends Pick<ServerEntry, 'id' | 'origin'> {
  readonly reason: string;
  /** The entry has no usable id, so that it defines no server. */
  readonly isUnnamed?: true;
}

/** Selects the server of this id, or all enabled ones. */
export async function chooseSubjects({ id, scope }: TestSelection, context: CommandContext): Promise<TestSubjects> {
  const definitions = await readDefinitions(environmentOf(context), scope);
  if (id === undefined) return requireSubjects(allSubjects(definitions));
  return onlySubject(await chooseEntryFrom(definitions, { id, scope, action: 'test' }));
}

/** Tests one server, configured or typed. */
export function onlySubject(entry: ServerEntry): TestSubjects {
  return { entries: [entry], malformed: [], unreadable: [], skipped: [], disabled: [] };
}

/** Returns every configured server. */
export function allSubjects({ servers, skipped: leftOut, files, problems }: Definitions): TestSubjects {
  const broken = new Set(files.filter(({ state }) => state === 'broken').map(({ file }) => file));
  return {
    entries: servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : [])),
    malformed: [
      ...servers.flatMap(({ id, origin, verdict }) =>
        verdict.kind === 'error' ? { id, origin, reason: verdict.reason } : [],
      ),
      ...leftOut.map(({ id, origin, problem }) => ({
        ...{ id, origin, reason: formatProblem(problem) },
        isUnnamed: true as const,
      })),
    ],
    unreadable: problems.filter(({ file }) => broken.has(file)),
    skipped: servers.flatMap(({ id, verdict }) =>
      verdict.kind === 'disabled' && verdict.isUntrusted ? { server: id, reason: escapeInvisible(verdict.reason) } : [],
    ),
    disabled: servers.flatMap(({ id, verdict }) => (verdict.kind === 'disabled' && !verdict.isUntrusted ? [id] : [])),
  };
}

/** Throws if there is nothing to test. */
function requireSubjects(subjects: TestSubjects): TestSubjects {
  const { entries, malformed, unreadable, skipped } = subjects;
  if ([entries, malformed, unreadable].some((some) => some.length > 0)) return subjects;
  if (skipped.length > 0) throw new AppError('DENIED', skippedText(skipped), { data: { skipped } });
  throw new AppError('USAGE', `There is no configured server to test. Add one with ${programName()} mcp add.`);
}

export function skippedText(skipped: TestSubjects['skipped']): string {
  return `Not tested: ${skipped.map(({ server, reason }) => `${quoteIfNeeded(server)} (${reason})`).join(', ')}`;
}
