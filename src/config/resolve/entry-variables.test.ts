import { expect, test } from 'vitest';
import { useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { openSecretStore } from '../secrets/secret-store.ts';
import type { ServerEntry } from '../server-entry.ts';
import { entryVariables } from './entry-variables.ts';

const newHome = useTemporaryHomes();

const ref = (name: string) => `\${${name}}`;

const entry: ServerEntry = {
  id: 'a',
  origin: { layer: 'global', file: '/config.json', line: 1 },
  transport: {
    kind: 'stdio',
    command: 'server',
    args: [ref('TEXT')],
    cwd: undefined,
    env: {},
    envVars: ['NAMED', 'EMPTY', 'ABSENT'],
    inheritEnv: true,
    framing: 'ndjson',
  },
  tools: { allow: undefined, deny: [] },
  startupTimeoutMs: undefined,
  requestTimeoutMs: undefined,
  start: 'eager',
  pin: false,
  sharesSignIn: false,
  restart: 'overlap',
  share: 'folder',
  expandsVariables: true,
};

test('adds stored values only for variables that the entry names and the environment lacks', () => {
  const home = newHome();
  const environment = { ...home, env: { ...home.env, NAMED: 'from the client', EMPTY: '' } };
  const store = openSecretStore(environment);
  for (const name of ['NAMED', 'EMPTY', 'TEXT', 'OTHER']) store.set(name, 'stored');
  expect(entryVariables(entry, environment)).toEqual({ ...environment.env, EMPTY: 'stored', TEXT: 'stored' });
});

test('does not read the store if nothing is missing', () => {
  const home = newHome();
  const env = { ...home.env, NAMED: '1', EMPTY: '2', ABSENT: '3', TEXT: '4' };
  expect(entryVariables(entry, { ...home, env })).toBe(env);
});
