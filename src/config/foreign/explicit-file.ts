import type { Environment } from '../files/folders.ts';
import { toProblem } from '../problem.ts';
import type { ConfigProblem } from '../server-entry.ts';
import { parseForeignFile } from './foreign-file.ts';
import type { ForeignServer } from './foreign-server.ts';
import { ownerOfPath } from './known-paths.ts';
import { toServerId } from './server-id.ts';
import { clientShapes } from './shapes.ts';

/** Another program's file in the form of our own config. */
export type TranslatedFile =
  | {
      readonly kind: 'usable';
      /** Each server is on the line that it has in the file, so that messages name lines of the file. */
      readonly bytes: Buffer;
      /** Servers that cannot be used. */
      readonly problems: readonly ConfigProblem[];
    }
  | { readonly kind: 'broken'; readonly problem: ConfigProblem };

/** Translates a file that `--config` names. */
export async function translateExplicitFile(
  file: string,
  bytes: Buffer,
  environment: Environment,
): Promise<TranslatedFile> {
  try {
    return await translate(file, bytes, environment);
  } catch (error) {
    return { kind: 'broken', problem: toProblem(error) };
  }
}

async function translate(file: string, bytes: Buffer, environment: Environment): Promise<TranslatedFile> {
  const owner = ownerOfPath(file, environment);
  const shape = owner && clientShapes[owner.client];
  const isToml = file.endsWith('.toml');
  const found = await parseForeignFile(file, bytes, { environment, project: owner?.project, isToml, shape });
  const problems = found.skipped.map(({ name, line, reason }) => ({
    file,
    line,
    message: `${JSON.stringify(name)} is left out: ${reason}.`,
  }));
  return { kind: 'usable', bytes: Buffer.from(toOwnConfig(found.servers)), problems };
}

function toOwnConfig(servers: readonly ForeignServer[]): string {
  const taken = new Set<string>();
  let text = '{"version":1,"mcp":{"servers":{';
  let line = 1;
  for (const [index, server] of servers.entries()) {
    const padding = Math.max(0, server.line - line);
    line += padding;
    const id = freeId(toServerId(server.name), taken);
    taken.add(id);
    text += `${index === 0 ? '' : ','}${'\n'.repeat(padding)}${JSON.stringify(id)}:${JSON.stringify(server.entry)}`;
  }
  return `${text}}}}`;
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? id : `${id.slice(0, 60)}-${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}
