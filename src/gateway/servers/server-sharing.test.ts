import { expect, test } from 'vitest';
import type { PersonalSignIns } from '../../auth/sign-in/personal-sign-ins.ts';
import { commandTransport, typedEntry } from '../../config/entry/typed-entry.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import { createServerSharing } from './server-sharing.ts';

function http(id: string, url = `https://${id}.example.com/mcp`): ServerEntry {
  const plain = { kind: 'http', url, headers: {}, headerEnv: {}, bearerTokenEnv: undefined, isSse: false } as const;
  return typedEntry({ id, transport: { ...plain, oauth: undefined } });
}

const shared = (entry: ServerEntry): ServerEntry => ({ ...entry, sharesSignIn: true });
const stdio = typedEntry({ id: 'stdio', transport: commandTransport('x', []) });

function configOf(...entries: readonly ServerEntry[]): LoadedConfig {
  const servers = entries.map((entry) => ({
    ...{ id: entry.id, origin: entry.origin, verdict: { kind: 'usable', entry } as const },
  }));
  return { servers, problems: [], files: [] };
}

function open(signedIn: () => readonly string[]) {
  const decisions: { readonly withheld: readonly string[]; readonly problem: string | undefined }[] = [];
  const onDecision = ({ withheld }: PersonalSignIns, problem: string | undefined) =>
    void decisions.push({ withheld: withheld.map(({ id }) => id), problem });
  const sharing = createServerSharing({ store: { signedInServers: signedIn }, onDecision });
  const idsIn = (config: LoadedConfig) => sharing.limit(config).servers.map(({ id }) => id);
  return { sharing, idsIn, decisions };
}

test('leaves out servers with a stored sign-in, unless their entry shares it', () => {
  const { sharing, idsIn, decisions } = open(() => ['notion', 'linear', 'stdio']);
  const config = configOf(stdio, http('notion'), shared(http('linear')), http('docs'));
  expect(idsIn(config)).toEqual(['stdio', 'linear', 'docs']);
  expect(decisions).toEqual([{ withheld: ['notion'], problem: undefined }]);
  expect(['notion', 'linear', 'docs', 'unknown'].filter(sharing.mayUseSignIn)).toEqual(['linear']);
});

test('decides again when a sign-in comes later', () => {
  let signedIn: readonly string[] = [];
  const { idsIn } = open(() => signedIn);
  const config = configOf(stdio, http('notion'));
  expect(idsIn(config)).toEqual(['stdio', 'notion']);
  signedIn = ['notion'];
  expect(idsIn(config)).toEqual(['stdio']);
});

test('leaves out a server that has asked for a sign-in, until its URL changes or its entry shares it', () => {
  const { sharing, idsIn } = open(() => []);
  const config = configOf(http('notion'));
  expect(idsIn(config)).toEqual(['notion']);
  sharing.signInNeeded('notion');
  expect(idsIn(config)).toEqual([]);
  expect(idsIn(config)).toEqual([]);
  expect(idsIn(configOf(http('notion', 'https://other.example.com/mcp')))).toEqual(['notion']);
  expect(idsIn(configOf(shared(http('notion'))))).toEqual(['notion']);
});

test('leaves out every server that may have a sign-in if the sign-ins cannot be read', () => {
  const { idsIn, decisions } = open(() => {
    throw new Error('The file is damaged.');
  });
  expect(idsIn(configOf(stdio, http('notion'), shared(http('linear'))))).toEqual(['stdio', 'linear']);
  expect(decisions).toEqual([{ withheld: ['notion'], problem: 'The file is damaged.' }]);
});

test('shares no sign-in of a server before it has seen its entry, or after the entry is gone', () => {
  const { sharing, idsIn } = open(() => []);
  expect(sharing.mayUseSignIn('linear')).toBe(false);
  idsIn(configOf(shared(http('linear'))));
  expect(sharing.mayUseSignIn('linear')).toBe(true);
  idsIn(configOf(stdio));
  expect(sharing.mayUseSignIn('linear')).toBe(false);
});
