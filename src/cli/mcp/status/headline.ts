import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { RunningStatus } from '../../../control/status/running-status.ts';
import { formatDuration } from '../../terminal/time.ts';

/** Formats one line that identifies a running instance: `gateway · pid 4711 · up 2 h · /home/me/project`. */
export function headline(status: RunningStatus, now: number): string {
  const { role, pid, startedAt, cwd, configFile, otherConfigFiles = [], url, clients } = status;
  const parts = [role, `pid ${pid}`, `up ${formatDuration(now - startedAt)}`, escapeInvisible(cwd)];
  if (configFile !== undefined)
    parts.push(`config ${[configFile, ...otherConfigFiles].map(escapeInvisible).join(', ')}`);
  if (url !== undefined) parts.push(escapeInvisible(url));
  if (clients.length > 0) parts.push(`for ${clients.map((client) => oneLine(client, MAX_CLIENT)).join(', ')}`);
  return parts.join(' · ');
}

const MAX_CLIENT = 80;
