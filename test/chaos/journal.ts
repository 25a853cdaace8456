import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the servers wrote down must not be: a call that was carried out twice, two servers where one may be. */
export function readJournal(folder: string): readonly string[] {
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const line of readFileSync(join(folder, 'journal'), 'utf8').split('\n')) {
    if (line.startsWith('two')) wrong.push(line);
    else if (line !== '' && seen.has(line)) wrong.push(`call ${line} was carried out twice`);
    seen.add(line);
  }
  return wrong;
}
