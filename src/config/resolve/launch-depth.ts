import { AppError } from '../../base/errors.ts';

/** Variable that holds the number of switchboard processes above this one. The parent process sets it. */
export const DEPTH_VARIABLE = 'SWITCHBOARD_DEPTH';

/** A gateway, a Codex behind it and a gateway in that Codex are plausible; deeper nesting is a loop. */
const MAX_DEPTH = 4;

/** Returns the depth to set for child processes. Throws at a depth that only a gateway that starts itself reaches. */
export function nextLaunchDepth(env: Readonly<Record<string, string | undefined>>): number {
  const written = env[DEPTH_VARIABLE] ?? '';
  const depth = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  if (depth < MAX_DEPTH) return depth + 1;
  throw new AppError(
    'CONFIG_INVALID',
    `This Switchboard runs inside ${depth} others: a config entry starts the gateway that reads it. Remove or disable that entry.`,
    { data: { depth } },
  );
}
