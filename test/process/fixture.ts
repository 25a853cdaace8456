import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Returns the path of a program in `fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
}

/** Returns the first output of a fixture, which also signals that it is ready. */
export async function firstLine(stdout: Readable): Promise<string> {
  const [chunk] = await once(stdout, 'data');
  return String(chunk).trim();
}

/** The same for fixtures that print the ids of the processes they started. */
export async function firstPids(stdout: Readable): Promise<Readonly<Record<string, number>>> {
  return JSON.parse(await firstLine(stdout));
}
