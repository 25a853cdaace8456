import { programName } from '../../base/program-name.ts';
import { disabledNames } from '../../clients/connect/plan-connect.ts';
import { importDocument } from '../import/document.ts';
import { reportDocument } from '../mcp/test/report-text.ts';
import type { SetupResult } from './apply-setup.ts';
import type { Overview } from './overview.ts';
import type { ClientPreview } from './preview-clients.ts';
import { untrustedEntries } from './project-trust.ts';
import { needsSignIn } from './sign-in.ts';

type Document = Readonly<Record<string, unknown>>;

/** Returns the answer of `switchboard setup --dry-run --json`. */
export function dryRunDocument(overview: Overview, previews: readonly ClientPreview[]): Document {
  const { plan, findings, review, connected } = overview;
  return {
    ...importDocument(plan, findings, { isDryRun: true }),
    clients: [
      ...previews.map(({ target, file, change, fault }) => ({
        client: target.client.id,
        file,
        status: fault === undefined ? 'planned' : 'failed',
        disabled: change === undefined ? [] : disabledNames(change.plan),
        ...(fault === undefined ? {} : { error: fault }),
      })),
      ...connected.map(({ client }) => ({ client: client.id, status: 'unchanged' })),
    ],
    untrusted: untrustedEntries(review).map(({ id, origin }) => ({ id, file: origin.file, line: origin.line })),
  };
}

/** Returns the answer of `switchboard setup --yes --json`. */
export function setupDocument({ findings, review }: Overview, result: SetupResult): Document {
  const { plan, clients, trusted, tests, call } = result;
  const untrusted = untrustedEntries(review).filter(({ id }) => !trusted.includes(id));
  return {
    ...importDocument(plan, findings, { isDryRun: false }),
    clients: clients.map(({ client, file, servers, sees, disabled, leftOn, error }) => ({
      client,
      file,
      status: error === undefined ? 'connected' : 'failed',
      servers,
      sees,
      disabled,
      leftOn,
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    })),
    tests: tests.map(({ entry, report }) => reportDocument(entry, report)),
    signIns: tests.filter(needsSignIn).map(({ entry }) => entry.id),
    untrusted: untrusted.map(({ id, origin }) => ({ id, file: origin.file, line: origin.line })),
    call,
    undo: `${programName()} setup --undo`,
  };
}
