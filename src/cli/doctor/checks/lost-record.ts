import { programName } from '../../../base/program-name.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { findLostConnections } from '../../../clients/connect/lost-connections.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding } from '../finding.ts';

/** Finds connections whose record is lost. The servers that they turned off can still be restored. */
export function lostRecordFindings({ environment }: CheckContext): readonly Finding[] {
  return findLostConnections(environment).map(({ client, disabled }) => ({
    check: 'client.record',
    title: `${client.title} was connected, but the record of it is lost`,
    state: 'warning',
    detail: disabled.length === 0 ? [] : [`Servers that were turned off: ${disabled.map(quoteIfNeeded).join(', ')}`],
    advice: `To keep it connected, run ${programName()} connect ${client.id}. To get its own servers back:`,
    fix: `${programName()} disconnect ${client.id}`,
  }));
}
