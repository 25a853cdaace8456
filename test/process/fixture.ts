import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The path of one of the little programs in `fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
}

/** The first thing that a fixture says, which is also the sign that it is ready. */
export async function firstLine(stdout: Readable): Promise<string> {
  const [chunk] = await once(stdout, 'data');
  return String(chunk).trim();
}

/** The same for fixtures that tell the ids of what they have started. */
export async function firstPids(stdout: Readable): Promise<Readonly<Record<string, number>>> {
  return JSON.parse(await firstLine(stdout));
}
