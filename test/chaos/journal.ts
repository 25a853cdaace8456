import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Finds errors in the servers' journals: calls that ran twice, and second instances of a single-instance server. */
export function readJournal(folder: string): readonly string[] {
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const line of readFileSync(join(folder, 'journal'), 'utf8').split('\n')) {
    if (line.startsWith('two')) wrong.push(line);
    else if (line !== '' && seen.has(line)) wrong.push(`call ${line} ran twice`);
    seen.add(line);
  }
  return wrong;
}
