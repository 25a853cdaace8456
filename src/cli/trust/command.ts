import { AppError } from '../../base/errors.ts';
import { visible, visibleWord } from '../../base/text/visible-text.ts';
import { describe } from '../../config/problem.ts';
import { untrustProject } from '../../config/trust/trust-project.ts';
import { acceptReview, reviewProject, type TrustReview } from '../../config/trust/trust-review.ts';
import type { CommandContext } from '../main.ts';
import { askYesNo, canAsk } from '../terminal/confirm.ts';
import { readTrustArguments, toFolder } from './parse-arguments.ts';
import { reviewDocument, reviewText } from './review-text.ts';
import { findServer, trustServer } from './trust-tools.ts';

interface TrustContext extends Pick<CommandContext, 'output' | 'env'> {
  readonly cwd: string;
  readonly home: string;
}

/**
 * `switchboard trust [dir]`: shows everything that the project would start and send, asks, and then remembers it.
 * `switchboard trust <server>` does the same with tools that were held back. `--yes` answers the question.
 */
export async function trust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output, home } = context;
  const asked = readTrustArguments('trust', args);
  const server = await findServer(asked, context);
  if (server !== undefined) return trustServer(server, asked, context);
  const folder = toFolder('trust', asked, context.cwd);
  const surroundings = { ...context, platform: process.platform };
  const review = reviewProject({ ...surroundings, dir: folder });
  const { entries, problems } = review;
  const fresh = entries.filter(({ wasTrusted }) => !wasTrusted).length;
  // What is broken could not be looked at: that is no success.
  if (problems.length > 0) process.exitCode = CONFIG_INVALID;
  if (!asked.isJson) show(review, { folder, context });
  const isAgreed = asked.isYes || fresh === 0 || (!asked.isJson && (await isWanted(fresh, folder)));
  if (isAgreed) acceptReview(review, surroundings);
  if (asked.isJson) {
    const documents = entries.map((entry) => reviewDocument(entry, home));
    const shown = isAgreed ? { trusted: documents } : { trusted: [], untrusted: documents };
    output.answer(visible(JSON.stringify({ folder, ...shown, problems })));
  }
  if (!isAgreed) throw notTrusted(folder);
  if (!asked.isJson && entries.length > 0)
    output.answer(`\n${summary(entries.length, fresh)} If one of them changes, it needs your trust again.`);
}

/** `switchboard untrust [dir]`: forgets it again. */
export async function untrust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output } = context;
  const asked = readTrustArguments('untrust', args);
  const { isJson } = asked;
  const folder = toFolder('untrust', asked, context.cwd);
  const { forgotten } = untrustProject({ ...context, dir: folder, platform: process.platform });
  const untrusted = forgotten.map(({ id, file }) => ({ id, file }));
  if (isJson) return output.answer(visible(JSON.stringify({ folder, untrusted })));
  if (untrusted.length === 0) return output.answer(`Nothing was trusted in ${visible(folder)}.`);
  const lines = untrusted.map(({ id, file }) => `  ${visibleWord(id)} of ${visible(file)}`);
  output.answer([`No longer trusted:`, ...lines].join('\n'));
}

/** The exit status for a config that cannot be used. */
const CONFIG_INVALID = 7;

function show(
  { entries, problems }: TrustReview,
  { folder, context: { output, home } }: { readonly folder: string; readonly context: TrustContext },
): void {
  for (const problem of problems) output.complain(`Not trusted: ${describe(problem)}`);
  const nothing = `Nothing to trust: ${visible(folder)} and the folders above it have no usable entry in a .mcp.json or .switchboard/config.json.`;
  output.answer(entries.length === 0 ? nothing : entries.map((entry) => reviewText(entry, home)).join('\n\n'));
}

async function isWanted(fresh: number, folder: string): Promise<boolean> {
  if (!canAsk()) return false;
  const subject = fresh === 1 ? 'this server' : `these ${fresh} servers`;
  return askYesNo(
    `\nTrust ${subject}? Programs run with your rights, and get the variables shown above. [y/N] `,
    `Nothing was trusted in ${visible(folder)}.`,
  );
}

function notTrusted(folder: string): AppError {
  const advice = ' To trust it, run switchboard trust on a terminal and answer y, or run it with --yes.';
  return new AppError('DENIED', `Nothing was trusted in ${visible(folder)}.${canAsk() ? '' : advice}`);
}

function summary(all: number, fresh: number): string {
  const known = all - fresh;
  const trusted = `Trusted ${fresh} server${fresh === 1 ? '' : 's'}.`;
  if (known === 0) return trusted;
  return fresh === 0 ? 'All of them were trusted already.' : `${trusted} ${known} more had been trusted already.`;
}
