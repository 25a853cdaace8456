import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import { formatLocation } from '../../../config/problem.ts';
import { findKnownProblems } from '../../mcp/servers/known-problems.ts';
import { type CheckContext, usableEntries } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';
import { untrustedFindings } from './config.ts';

/** Reports what files know about the servers, without starting any. Leaves out earlier failures of working servers. */
export async function checkKnownServers(checkContext: CheckContext, working: ReadonlySet<string>): Promise<Section> {
  const { definitions, environment } = checkContext;
  const entries = usableEntries(definitions).filter(({ id }) => !working.has(id));
  const known = [...(await findKnownProblems(entries, environment))].map(
    ([id, { kind, reason, next }]): Finding => ({
      check: `server.${kind}`,
      title: `${quoteIfNeeded(id)}: ${reason}`,
      state: kind === 'variable' ? 'warning' : 'failure',
      fix: next,
    }),
  );
  const findings = [...invalidFindings(checkContext), ...known, ...untrustedFindings(definitions.servers)];
  return { name: 'Servers', summary: `${findings.length} with known problems`, findings };
}

function invalidFindings({ definitions, environment }: CheckContext): readonly Finding[] {
  return definitions.servers.flatMap(({ id, origin, verdict }) => {
    if (verdict.kind !== 'error') return [];
    const at = formatLocation(tildePath(origin.file, environment), origin.line);
    const title = `${quoteIfNeeded(id)}: ${verdict.reason.replace(/\.$/, '')}`;
    return [{ check: 'server.config', title, state: 'failure', code: 'CONFIG_INVALID', advice: `Correct ${at}.` }];
  });
}
