import { expect, test } from 'vitest';
import { packageRunnerOf } from './package-runner.ts';

const runnerOf = (line: string) => {
  const [command = '', ...args] = line.split(' ');
  const runner = packageRunnerOf({ command, args }, 'linux');
  return runner && [runner.name, runner.canRunOutside];
};

test.each([
  ['npx -y a', 'npx', true],
  ['/usr/bin/npx -y a', 'npx', true],
  ['npm exec a', 'npm exec', true],
  ['npm --loglevel silent exec a', 'npm exec', true],
  ['npm --loglevel=silent x a', 'npm x', true],
  ['npx --script-shell=sh a', 'npx', false],
  ['env npx -y a', 'npx', true],
  ['/usr/bin/env A=b C=d npx -y a', 'npx', true],
  ['env -i npx -y a', 'npx', false],
  ['env -u HOME npx -y a', 'npx', false],
  ['node /usr/lib/node_modules/npm/bin/npx-cli.js -y a', 'npx', true],
  ['/usr/bin/node --no-warnings /opt/npm/bin/npm-cli.js exec a', 'npm exec', true],
  ['node npm/bin/npx-cli.js -y a', 'npx', false],
  ['env A=b node /opt/npm/bin/npx-cli.js a', 'npx', true],
  ['sh -c npx -y a', 'npx', false],
  ['bash -lc exec /usr/local/bin/npx -y a', 'npx', false],
  ['zsh -c cd x && pnpm dlx a', 'pnpm dlx', false],
  ['cmd /c npx -y a', 'npx', false],
  ['corepack pnpm dlx a', 'pnpm dlx', false],
  ['pnx a', 'pnx', false],
  ['pnpm --silent dlx a', 'pnpm dlx', false],
  ['yarn dlx a', 'yarn dlx', false],
  ['bunx a', 'bunx', false],
  ['bun x a', 'bun x', false],
])('%s is a package runner', (line, name, canRunOutside) => {
  expect(runnerOf(line)).toEqual([name, canRunOutside]);
});

test.each([
  ...['npm run exec', 'npm start', 'node server.js npx', 'uvx a', 'sh -c ./npx-like.sh', 'env A=b node a.js'],
  ...['bash -c echo npxa', 'python -m npx', 'pnpm run dlx', 'env', 'npm'],
])('%s is none', (line) => {
  expect(runnerOf(line)).toBeUndefined();
});
