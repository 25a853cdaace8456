import { messageOf } from '../base/errors.ts';

/**
 * Runs a task that the server can do without. If it fails, for example because an upgrade has replaced our own files,
 * the server continues.
 */
export async function runOrWarn<Result>(
  problem: string,
  warn: (text: string) => void,
  task: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await task();
  } catch (error) {
    warn(`${problem}: ${messageOf(error)}`);
    return undefined;
  }
}
