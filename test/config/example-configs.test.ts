import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import type { HttpSettings, StdioSettings } from '../../src/config/server-entry.ts';
import { readBlocks } from '../docs/blocks.ts';
import { verifies } from '../verifies.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();

/** Every Switchboard config in docs/config.md. */
const examples = readBlocks(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'config.md'), 'utf8'))
  .filter(({ language, code }) => language === 'json' && code.includes('"mcp"'))
  .map(({ code }) => code);

verifies('config:own:examples', 'every config in the documentation loads without problems', async () => {
  const kinds = new Set<string>();
  for (const example of examples) {
    const folder = newFolder();
    folder.write('config.json', example);
    const testEnvironment = folder.testEnvironment({ SWITCHBOARD_HOME: folder.path });
    const { servers, problems } = await loadConfig(testEnvironment);
    expect(problems).toEqual([]);
    expect(servers.filter(({ verdict }) => verdict.kind === 'error')).toEqual([]);
    expect(servers.map(({ id }) => id)).toEqual(Object.keys(JSON.parse(example).mcp.servers));
    for (const { verdict } of servers) if (verdict.kind === 'usable') kinds.add(kindOf(verdict.entry.transport));
  }
  expect([...kinds].sort()).toEqual(['http', 'http, oauth', 'http, oauth by its URLs', 'stdio']);
});

function kindOf(transport: StdioSettings | HttpSettings): string {
  if (transport.kind === 'stdio') return 'stdio';
  if (transport.oauth === undefined) return 'http';
  return transport.oauth.tokenUrl === undefined ? 'http, oauth' : 'http, oauth by its URLs';
}
