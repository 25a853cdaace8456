import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatProblem } from '../../config/problem.ts';
import { untrustProject } from '../../config/trust/trust-project.ts';
import { acceptReview, reviewProject, type TrustReview } from '../../config/trust/trust-review.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { canPrompt, confirm } from '../terminal/confirm.ts';
import { parseTrustArguments, resolveFolder } from './parse-arguments.ts';
import { reviewDocument, reviewText } from './review-text.ts';
import { findServer, trustServer } from './trust-tools.ts';
import { viewDocument, viewText } from './view-text.ts';

interface TrustContext extends Pick<CommandContext, 'output' | 'env'> {
  readonly cwd: string;
  readonly home: string;
}

/**
 * Runs `switchboard trust [dir]`: shows everything that the project would start and send, asks for consent, and stores
 * it. `switchboard trust <server>` does the same for tools that were held back. `--yes` gives the consent.
 */
export async function trust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output, home } = context;
  const parsed = parseTrustArguments('trust', args);
  const server = await findServer(parsed, context);
  if (server !== undefined) return trustServer(server, parsed, context);
  const folder = resolveFolder('trust', parsed, context.cwd);
  const environment = environmentOf(context);
  const review = reviewProject({ ...environment, dir: folder });
  const { entries, views, problems } = review;
  const fresh = countFresh(review);
  // A broken file could not be reviewed, which is not a success.
  if (problems.length > 0) process.exitCode = CONFIG_INVALID;
  if (!parsed.isJson) show(review, { folder, context });
  const isKnown = fresh.servers + fresh.views === 0;
  const isAgreed = parsed.assumeYes || isKnown || (!parsed.isJson && (await confirmTrust(fresh, folder)));
  if (isAgreed) acceptReview(review, environment);
  if (parsed.isJson) {
    const documents = entries.map((entry) => reviewDocument(entry, home));
    const shown = isAgreed ? { trusted: documents } : { trusted: [], untrusted: documents };
    const ofViews = views.length === 0 ? {} : { views: views.map(viewDocument) };
    output.answer(escapeInvisible(JSON.stringify({ folder, ...shown, ...ofViews, problems })));
  }
  if (!isAgreed) throw notTrustedError(folder);
  const all = { servers: entries.length, views: views.length };
  if (!parsed.isJson && all.servers + all.views > 0)
    output.answer(`\n${summary(all, fresh)} Switchboard asks again if one of them changes.`);
}

/** Runs `switchboard untrust [dir]`: revokes the trust. */
export async function untrust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output } = context;
  const parsed = parseTrustArguments('untrust', args);
  const { isJson } = parsed;
  const folder = resolveFolder('untrust', parsed, context.cwd);
  const { forgotten } = untrustProject({ ...environmentOf(context), dir: folder });
  const untrusted = forgotten.map(({ id, file }) => ({ id, file }));
  if (isJson) return output.answer(escapeInvisible(JSON.stringify({ folder, untrusted })));
  if (untrusted.length === 0) return output.answer(`Nothing was trusted in ${escapeInvisible(folder)}.`);
  const lines = untrusted.map(({ id, file }) => `  ${quoteIfNeeded(id)} of ${escapeInvisible(file)}`);
  output.answer([`No longer trusted:`, ...lines].join('\n'));
}

/** Exit status for an unusable config. */
const CONFIG_INVALID = 7;

interface Counts {
  readonly servers: number;
  readonly views: number;
}

/** Counts what is not trusted yet. */
function countFresh({ entries, views }: TrustReview): Counts {
  const count = (all: readonly { readonly wasTrusted: boolean }[]) => all.filter((one) => !one.wasTrusted).length;
  return { servers: count(entries), views: count(views) };
}

function show(
  { entries, views, problems }: TrustReview,
  { folder, context: { output, home } }: { readonly folder: string; readonly context: TrustContext },
): void {
  for (const problem of problems) output.report(`Not trusted: ${formatProblem(problem)}`);
  const nothing = `Nothing to trust: ${escapeInvisible(folder)} and the folders above it have no usable entry in a .mcp.json or .switchboard/config.json.`;
  const texts = [...entries.map((entry) => reviewText(entry, home)), ...views.map(viewText)];
  output.answer(texts.length === 0 ? nothing : texts.join('\n\n'));
}

async function confirmTrust({ servers, views }: Counts, folder: string): Promise<boolean> {
  if (!canPrompt()) return false;
  const named = (count: number, noun: string) => (count === 1 ? `this ${noun}` : `these ${count} ${noun}s`);
  const subjects = [
    ...(servers === 0 ? [] : [named(servers, 'server')]),
    ...(views === 0 ? [] : [named(views, 'view')]),
  ];
  const effect = servers === 0 ? '' : ' Programs run with your permissions and receive the variables shown above.';
  return confirm(
    `\nTrust ${subjects.join(' and ')}?${effect} [y/N] `,
    `Nothing was trusted in ${escapeInvisible(folder)}.`,
  );
}

function notTrustedError(folder: string): AppError {
  const advice = ` To trust it, run ${programName()} trust on a terminal and answer y, or run it with --yes.`;
  return new AppError('DENIED', `Nothing was trusted in ${escapeInvisible(folder)}.${canPrompt() ? '' : advice}`);
}

function summary(all: Counts, fresh: Counts): string {
  const known = all.servers + all.views - fresh.servers - fresh.views;
  const named = (count: number, noun: string) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]);
  const subjects = [...named(fresh.servers, 'server'), ...named(fresh.views, 'view')];
  if (subjects.length === 0) return 'All of them were already trusted.';
  const trusted = `Trusted ${subjects.join(' and ')}.`;
  return known === 0 ? trusted : `${trusted} ${known} more had already been trusted.`;
}
