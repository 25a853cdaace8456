import { programName } from '../../base/program-name.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { Environment } from '../../config/files/folders.ts';
import { formatProblem } from '../../config/problem.ts';
import { currentTrust } from '../../config/trust/restore-trust.ts';
import { acceptReview, type ReviewedEntry, type TrustReview } from '../../config/trust/trust-review.ts';
import { confirm } from '../terminal/confirm.ts';
import { reviewText } from '../trust/review-text.ts';
import { viewText } from '../trust/view-text.ts';
import { missingText, missingVariables } from './missing-variables.ts';
import { CANCEL_HINT } from './questions.ts';
import { countText, type SetupRun } from './setup-run.ts';

/** Returns the servers of the working folder's config files that need trust. */
export function untrustedEntries({ entries }: TrustReview): readonly ReviewedEntry[] {
  return entries.filter(({ wasTrusted, isSwitchedOff }) => !wasTrusted && !isSwitchedOff);
}

/**
 * Shows what the project would start and send, and asks whether to trust it. Without a terminal, nothing is trusted.
 * Returns the entries that the user trusts now.
 */
export async function offerTrust(review: TrustReview, run: SetupRun): Promise<readonly ReviewedEntry[]> {
  const entries = untrustedEntries(review);
  for (const problem of review.problems) run.showOutcome('bad', formatProblem(problem));
  if (entries.length === 0) return [];
  run.showHeading(`Servers of this project`);
  // The views of the project are trusted together with its servers.
  const views = review.views.filter(({ wasTrusted }) => !wasTrusted);
  run.show([...entries.map((entry) => reviewText(entry, run.environment.home)), ...views.map(viewText)].join('\n\n'));
  for (const line of missingLines(entries, run.environment)) run.showOutcome('warning', line);
  const subject = entries.length === 1 ? 'this server' : `these ${entries.length} servers`;
  const question = `\nTrust ${subject}? Programs run with your permissions and receive the variables shown above. [y/N] `;
  if (!run.isInteractive || !(await confirm(question, CANCEL_HINT))) {
    run.showOutcome(
      'warning',
      `${countText(entries.length, 'server')} of this project not trusted yet. Next: ${programName()} trust`,
    );
    return [];
  }
  const trusted = currentTrust(review, run.environment);
  run.journal.change((before) => {
    const known = (file: string) => before.trusted.some((one) => one.file === file);
    return { ...before, trusted: [...before.trusted, ...trusted.filter(({ file }) => !known(file))] };
  });
  acceptReview(review, run.environment);
  run.showOutcome(
    'good',
    `Trusted ${countText(entries.length, 'server')}. Switchboard asks again if one of them changes.`,
  );
  return entries;
}

/** Names the variables that entries need and that have no value here. */
function missingLines(entries: readonly ReviewedEntry[], environment: Environment): readonly string[] {
  return entries.flatMap((entry) => {
    const text = missingText(missingVariables(entry, environment));
    return text === undefined ? [] : [`${quoteIfNeeded(entry.id)} ${text}`];
  });
}
