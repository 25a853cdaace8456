import { AppError } from '../../base/errors.ts';

/** How many switchboards stand above a process; the one that starts it writes it into its environment. */
export const DEPTH_VARIABLE = 'SWITCHBOARD_DEPTH';

/** A gateway, a Codex behind it and a gateway in that Codex are sensible; more is a circle. */
const MAX_DEPTH = 4;

/** What to write for whatever we start. Throws when we are so deep that a gateway must have started itself. */
export function nextLaunchDepth(env: Readonly<Record<string, string | undefined>>): number {
  const written = env[DEPTH_VARIABLE] ?? '';
  const depth = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  if (depth < MAX_DEPTH) return depth + 1;
  throw new AppError(
    'CONFIG_INVALID',
    `This switchboard was started by ${depth} others, one inside the other: an entry of a config starts the gateway that reads it. Remove that entry, or disable it.`,
    { data: { depth } },
  );
}
