import type { Definitions } from '../../config/load-config.ts';
import { unknownServer } from '../../config/unknown-server.ts';
import { allSubjects, type TestSubjects } from '../mcp/test/subjects.ts';

/** Returns the named servers, or all. Throws for a name that no server has. */
export function chooseServers(names: readonly string[], definitions: Definitions): TestSubjects {
  const all = allSubjects(definitions);
  if (names.length === 0) return all;
  const known = new Set(definitions.servers.map(({ id }) => id));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownServer(unknown, definitions);
  return {
    entries: all.entries.filter(({ id }) => names.includes(id)),
    malformed: all.malformed.filter(({ id }) => names.includes(id)),
    unreadable: [],
    skipped: all.skipped.filter(({ server }) => names.includes(server)),
    disabled: all.disabled.filter((id) => names.includes(id)),
  };
}
