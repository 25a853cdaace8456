import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inFile, useAuthFiles } from '../../../test/auth/stored-sign-in.ts';
import { commandTransport, typedEntry } from '../../config/entry/typed-entry.ts';
import type { HttpSettings, ServerEntry } from '../../config/server-entry.ts';
import { openAuthStore } from '../store/auth-store.ts';
import { describePersonalSignIns, findPersonalSignIns } from './personal-sign-ins.ts';

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
  expect(findPersonalSignIns(entries, openAuthStore(testEnvironment))).toEqual({
    shared: ['linear'],
    withheld: ['notion', 'stored'],
  });
});

test('nothing is personal without stored sign-ins and oauth', () => {
  const { testEnvironment } = newPlace();
  expect(findPersonalSignIns([http('a')], openAuthStore(testEnvironment))).toEqual({ shared: [], withheld: [] });
});

test('unreadable sign-ins are an error, because any server may be personal', () => {
  const { testEnvironment, file } = newPlace();
  writeFileSync(file, '{');
  expect(() => findPersonalSignIns([http('a')], openAuthStore(testEnvironment))).toThrow('mcp-auth.json');
});

test('says who acts as whom, which servers are left out, and how to share one', () => {
  expect(describePersonalSignIns({ shared: ['notion', 'linear'], withheld: ['my slack', 'github'] })).toEqual([
    'Everyone with a token acts as you on: notion, linear',
    'Left out, because they use your own sign-in: "my slack", github. To share one: switchboard set \'my slack\' shareSignIn=true',
  ]);
  expect(describePersonalSignIns({ shared: [], withheld: [] })).toEqual([]);
});
