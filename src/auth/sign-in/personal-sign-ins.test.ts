import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inFile, useAuthFiles } from '../../../test/auth/stored-sign-in.ts';
import { commandTransport, typedEntry } from '../../config/entry/typed-entry.ts';
import type { HttpSettings, Layer, ServerEntry, StdioSettings } from '../../config/server-entry.ts';
import { openAuthStore } from '../store/auth-store.ts';
import { describePersonalSignIns, findPersonalSignIns, type PersonalSignIns } from './personal-sign-ins.ts';

const newPlace = useAuthFiles();
const oauth = {
  ...{ authorizationUrl: undefined, tokenUrl: undefined, registrationUrl: undefined, clientId: 'me' },
  ...{ clientSecret: undefined, clientSecretEnv: undefined, scope: undefined },
};

function http(id: string, settings: Partial<HttpSettings> = {}): ServerEntry {
  const url = `https://${id}.example.com/mcp`;
  const plain = { kind: 'http', url, headers: {}, headerEnv: {}, bearerTokenEnv: undefined, isSse: false } as const;
  return typedEntry({ id, transport: { ...plain, oauth: undefined, ...settings } });
}

const shared = (entry: ServerEntry): ServerEntry => ({ ...entry, sharesSignIn: true });

test('finds the servers that sign in as this user, and those whose entry shares that', () => {
  const { testEnvironment, file } = newPlace();
  const signedOut = { url: 'https://signed-out.example.com/mcp', client_id: 'x' };
  const servers = { stored: inFile, linear: inFile, 'signed-out': signedOut, keyed: inFile, gone: inFile };
  writeFileSync(file, JSON.stringify({ version: 1, servers }));
  const entries = [
    http('notion', { oauth }),
    http('stored'),
    shared(http('linear')),
    http('signed-out'),
    http('open'),
    shared(http('shares-nothing')),
    http('keyed', { headers: { authorization: 'Bearer x' }, oauth }),
    http('from-variable', { bearerTokenEnv: 'KEY', oauth }),
    http('from-header-variable', { headerEnv: { Authorization: 'KEY' }, oauth }),
    shared(typedEntry({ id: 'stdio', transport: commandTransport('x', []) })),
  ];
  expect(idsOf(findPersonalSignIns(entries, openAuthStore(testEnvironment)))).toEqual({
    shared: ['linear'],
    withheld: ['notion', 'stored'],
    keyed: ['keyed', 'from-variable', 'from-header-variable'],
  });
});

test('a key in an entry is not a sign-in, and is listed separately', () => {
  const { testEnvironment } = newPlace();
  const stdio: StdioSettings = {
    ...{ kind: 'stdio', command: 'x', args: [], cwd: undefined },
    ...{ env: {}, envVars: [], inheritEnv: false, framing: 'ndjson' },
  };
  const entries = [
    http('header', { headers: { 'X-Api-Key': 'x' } }),
    http('plain-header', { headers: { Accept: 'x' } }),
    typedEntry({ id: 'variable', transport: { ...stdio, env: { GITHUB_TOKEN: 'x' } } }),
    typedEntry({ id: 'inherited', transport: { ...stdio, envVars: ['API_KEY'] } }),
    typedEntry({ id: 'plain', transport: { ...stdio, env: { LANG: 'C' } } }),
  ];
  expect(idsOf(findPersonalSignIns(entries, openAuthStore(testEnvironment)))).toEqual({
    ...{ shared: [], withheld: [], keyed: ['header', 'variable', 'inherited'] },
  });
});

test('nothing is personal without stored sign-ins and oauth', () => {
  const { testEnvironment } = newPlace();
  expect(findPersonalSignIns([http('a')], openAuthStore(testEnvironment))).toEqual({
    ...{ shared: [], withheld: [], keyed: [] },
  });
});

test('unreadable sign-ins are an error, because any server may be personal', () => {
  const { testEnvironment, file } = newPlace();
  writeFileSync(file, '{');
  expect(() => findPersonalSignIns([http('a')], openAuthStore(testEnvironment))).toThrow('mcp-auth.json');
});

test('says who acts as whom, which servers are left out, and how to share one', () => {
  const shared = [http('notion'), http('linear')];
  const withheld = [inLayer('global', http('my slack')), http('github')];
  expect(describePersonalSignIns({ shared, withheld, keyed: [http('docs')] })).toEqual([
    'Everyone with a token acts as you on: notion, linear',
    'Everyone with a token uses the keys of your config on: docs',
    'Left out, because they use your own sign-in: "my slack", github. To share one: switchboard set \'my slack\' shareSignIn=true --scope global',
  ]);
  expect(describePersonalSignIns({ shared: [], withheld: [], keyed: [] })).toEqual([]);
});

test('names the file of a server whose file switchboard does not write', () => {
  expect(describePersonalSignIns({ shared: [], keyed: [], withheld: [inLayer('explicit', http('a'))] })).toEqual([
    'Left out, because they use your own sign-in: a. To share one: add "shareSignIn": true to its entry in /c.json',
  ]);
});

function inLayer(layer: Layer, entry: ServerEntry): ServerEntry {
  return { ...entry, origin: { layer, file: '/c.json', line: 1 } };
}

function idsOf(signIns: PersonalSignIns): Readonly<Record<keyof PersonalSignIns, readonly string[]>> {
  const ids = (entries: readonly ServerEntry[]) => entries.map(({ id }) => id);
  return { shared: ids(signIns.shared), withheld: ids(signIns.withheld), keyed: ids(signIns.keyed) };
}
