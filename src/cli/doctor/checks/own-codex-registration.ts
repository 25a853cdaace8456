import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { findCodexRegistrations } from '../../../clients/connect/codex-registrations.ts';
import { dropInCommand } from '../../../clients/import/replace-codex-server.ts';
import { globalSource } from '../../../config/files/sources.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { editEntry } from '../../../config/write/edit-entry.ts';
import { installOwnLauncher } from '../../connect/install-own-launcher.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding } from '../finding.ts';

type Repair = Pick<Finding, 'advice' | 'fix' | 'repair'>;

/**
 * Returns how to fix an entry of our own config that starts `codex mcp-server`, which Codex removed in 0.154. Undefined
 * if it starts something else.
 */
export function codexRegistrationFix(
  { id, origin, transport }: ServerEntry,
  { environment, context }: CheckContext,
): Repair | undefined {
  const [registration] = findCodexRegistrations({ [id]: transport });
  if (registration === undefined) return undefined;
  const source = globalSource(environment);
  const at = formatLocation(origin.file, origin.line);
  // Another file may need trust, or belong to another program.
  if (registration.options.length > 0 || origin.file !== source.file)
    return { advice: `Codex 0.154 removed codex mcp-server: start switchboard codex mcp-server in ${at} instead.` };
  const repair = () => {
    installOwnLauncher(context);
    const { command, args } = dropInCommand(environment);
    const plan = () => [
      { path: ['command'], value: command },
      { path: ['args'], value: args },
    ];
    editEntry(source, id, { plan, check() {} });
    return `Replaced codex mcp-server by switchboard codex mcp-server in ${quoteIfNeeded(id)} (${at}).`;
  };
  return { fix: 'switchboard doctor --fix', repair };
}
