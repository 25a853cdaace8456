import { type AccessToken, isExpired, toDateText } from '../../serve/access/access-token.ts';
import { formatDuration } from '../terminal/time.ts';

/** Describes what a token permits: `role use, view review, expires in 30 days`. */
export function describeToken({ role, view, expiresAt, mayNameFolders }: AccessToken, now: number): string {
  return [
    `role ${role}`,
    ...(view === undefined ? [] : [`view ${view}`]),
    ...(mayNameFolders ? ['may choose folders (no effect yet)'] : []),
    expiresAt === undefined ? 'does not expire' : `expires in ${formatDuration(expiresAt - now)}`,
  ].join(', ');
}

/** Formats one line per token. */
export function listText(tokens: readonly AccessToken[], now: number): string {
  const rows = [
    ['NAME', 'ID', 'ROLE', 'VIEW', 'FOLDERS', 'EXPIRES', 'CREATED'],
    ...tokens.map((token) => [
      ...[token.name, token.id, token.role, token.view ?? 'all', token.mayNameFolders ? 'yes' : 'no'],
      ...[expiryText(token, now), `${formatDuration(now - token.createdAt)} ago`],
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function expiryText(token: AccessToken, now: number): string {
  const { expiresAt } = token;
  if (expiresAt === undefined) return 'never';
  return isExpired(token, now) ? 'expired' : `in ${formatDuration(expiresAt - now)}`;
}

/** Returns what the JSON output shows about a token. The hash is for the store only. */
export function tokenDocument(token: AccessToken, now: number): Readonly<Record<string, unknown>> {
  const { id, name, role, view, expiresAt, mayNameFolders, createdAt } = token;
  const expires = expiresAt === undefined ? {} : { expires: toDateText(expiresAt), isExpired: isExpired(token, now) };
  return {
    id,
    name,
    role,
    ...(view === undefined ? {} : { view }),
    ...expires,
    mayNameFolders,
    createdAt: toDateText(createdAt),
  };
}
