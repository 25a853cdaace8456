import { expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import type { LoadedConfig } from '../server-entry.ts';
import { createConfigRedactor } from './config-redactor.ts';

/** A config with one server that receives this secret. */
function configWith(secret: string): LoadedConfig {
  const entry = serverEntry({ id: 'one', transport: stdioSettings({ env: { TOKEN: secret } }) });
  return {
    servers: [{ id: 'one', origin: entry.origin, verdict: { kind: 'usable', entry } }],
    problems: [],
    files: [],
  };
}

test('the secrets of all configs and the current tokens are masked', () => {
  const { redact, addConfig, setTokenSource } = createConfigRedactor(
    { cwd: '/', home: '/nobody', env: {}, platform: 'linux' },
    configWith('first-secret'),
  );
  let tokens = ['old-token'];
  setTokenSource(() => tokens);
  const text = 'first-secret second-secret old-token new-token';
  expect(redact(text)).toBe('*** second-secret *** new-token');
  addConfig(configWith('second-secret'));
  tokens = ['new-token'];
  expect(redact(text)).toBe('*** *** old-token ***');
});

test('each config is read once, however often the tokens change', () => {
  let reads = 0;
  const counted = (config: LoadedConfig): LoadedConfig => ({
    ...config,
    get servers() {
      reads++;
      return config.servers;
    },
  });
  const { redact, addConfig, setTokenSource } = createConfigRedactor(
    { cwd: '/', home: '/nobody', env: {}, platform: 'linux' },
    counted(configWith('first-secret')),
  );
  let tokens: readonly string[] = [];
  setTokenSource(() => tokens);
  expect(reads).toBe(0);
  addConfig(counted(configWith('second-secret')));
  for (const token of ['some-token', 'next-token', 'last-token']) {
    tokens = [token];
    expect(redact(`first-secret second-secret ${token}`)).toBe('*** *** ***');
  }
  expect(reads).toBe(2);
});
