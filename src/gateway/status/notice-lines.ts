import { oneLine } from '../../base/text/safe-text.ts';

/** Servers in the same condition, for one line of the instructions. */
export interface Notice {
  readonly label: string;
  readonly servers: readonly NoticedServer[];
  /** The details are commands, which are omitted instead of truncated. */
  readonly isWhole?: boolean;
  /** Text after the servers, which is never truncated. */
  readonly end?: string;
}

interface NoticedServer {
  readonly id: string;
  readonly detail?: string;
}

/** The limits for all details of a line, for one detail, and for the remainder of a truncated detail. */
const MAX_DETAILS_LENGTH = 240;
const MAX_DETAIL_LENGTH = 120;
const MIN_DETAIL_LENGTH = 16;
const MAX_IDS_LENGTH = 240;
const MAX_ID_LENGTH = 80;

/**
 * Returns one line for each notice with servers. Ids have priority: details get the space that all ids leave, those of
 * the first notice first.
 */
export function noticeLines(notices: readonly Notice[], maxLength: number): readonly string[] {
  const lines = notices
    .filter(({ servers }) => servers.length > 0)
    .map((notice) => ({ notice, bare: formatNotice(notice, 0) }));
  let available = maxLength - lines.map(({ bare }) => bare).join('\n').length;
  return lines.map(({ notice, bare }) => {
    const line = formatNotice(notice, notice.isWhole ? available : Math.min(available, MAX_DETAILS_LENGTH));
    available -= line.length - bare.length;
    return line;
  });
}

function formatNotice({ label, servers, isWhole = false, end = '' }: Notice, maxDetailsLength: number): string {
  const named = firstServers(servers);
  let available = maxDetailsLength;
  const names = named.map(({ id, detail }, index) => {
    const share = isWhole ? available : Math.floor(available / (named.length - index));
    const formatted = detail === undefined ? '' : formatDetail(detail, share, isWhole);
    available -= formatted.length;
    return `${id}${formatted}`;
  });
  const others = servers.length - named.length;
  return `${label}: ${names.join(', ')}${others === 0 ? '' : ` and ${others} more`}${end}`;
}

/** Returns as many servers as fit, at least one. */
function firstServers(servers: readonly NoticedServer[]): readonly NoticedServer[] {
  let length = 0;
  const formatted = servers.map((server) => ({ ...server, id: oneLine(server.id, MAX_ID_LENGTH) }));
  const end = formatted.findIndex(({ id }) => {
    length += id.length + ', '.length;
    return length > MAX_IDS_LENGTH;
  });
  return end === -1 ? formatted : formatted.slice(0, end);
}

function formatDetail(detail: string, maxLength: number, isWhole: boolean): string {
  const available = maxLength - ' ()'.length;
  const whole = oneLine(detail, isWhole ? Number.POSITIVE_INFINITY : MAX_DETAIL_LENGTH);
  if (whole.length <= available) return ` (${whole})`;
  return isWhole || available < MIN_DETAIL_LENGTH ? '' : ` (${oneLine(whole, available)})`;
}
