import { expect, test } from 'vitest';
import { chooseProgramName } from './program-name.ts';

const CACHED = '/home/me/.npm/_npx/0a1b/node_modules/.bin/switchboard';
const COPY = '/home/me/.local/share/switchboard/app/0.1.0-3f/dist/cli/main.js';
const LAUNCHER = '/home/me/.local/share/switchboard/bin/switchboard';

interface Start {
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

test.each<[string, string, Start]>([
  ['switchboard', 'from a global installation', { script: '/usr/lib/node_modules/switchboard/dist/cli/main.js' }],
  ['switchboard', 'from a clone under npm run', { script: '/src/dist/cli/main.js', env: { npm_command: 'exec' } }],
  [
    'npx switchboard',
    'from the cache of npx',
    { script: CACHED, env: { PATH: '/home/me/.npm/_npx/0a1b/node_modules/.bin' }, files: [CACHED] },
  ],
  [
    'npx --package ./switchboard.tgz switchboard',
    'with --package',
    { script: CACHED, env: { npm_config_package: './switchboard.tgz' } },
  ],
  ['npx switchboard', 'from a project', { script: '/p/node_modules/.bin/switchboard', env: { npm_command: 'exec' } }],
  [
    'switchboard',
    'through npx, but also installed',
    { script: CACHED, env: { PATH: '/usr/bin' }, files: ['/usr/bin/switchboard'] },
  ],
  [LAUNCHER, 'by the launcher', { script: COPY, env: { PATH: '/usr/bin' }, files: [LAUNCHER] }],
  [
    'switchboard',
    'by the launcher, but also installed',
    { script: COPY, env: { PATH: '/usr/bin' }, files: [LAUNCHER, '/usr/bin/switchboard'] },
  ],
  [
    'switchboard',
    'inside another program that npx runs',
    { script: '/p/node_modules/.bin/other', env: { npm_command: 'exec' } },
  ],
  ['switchboard', 'by an unknown program', {}],
])('suggests %s when started %s', (name, _, { script, env = {}, files = [] }) => {
  expect(chooseProgramName({ script, env, exists: (file) => files.includes(file) })).toBe(name);
});
