import { expect, test } from 'vitest';
import { packageRunnerOf } from './package-runner.ts';

const runnerOf = (line: string) => {
  // An underscore stands for a blank inside an argument.
  const [command = '', ...args] = line.split(' ').map((word) => word.replaceAll('_', ' '));
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
  ['node /usr/lib/node/npm/bin/npx-cli.js -y a', 'npx', true],
  ['/usr/bin/node --no-warnings /opt/npm/bin/npm-cli.js exec a', 'npm exec', true],
  ['node npm/bin/npx-cli.js -y a', 'npx', false],
  ['env A=b node /opt/npm/bin/npx-cli.js a', 'npx', true],
  ['nice npx -y a', 'npx', true],
  ['nice -n 5 npx -y a', 'npx', true],
  ['nice -5 npx a', 'npx', true],
  ['/usr/bin/timeout 20 npx -y a', 'npx', true],
  ['timeout -k 5 --signal=KILL 20s npx -y a', 'npx', true],
  ['nohup npx a', 'npx', true],
  ['stdbuf -oL -e 0 npx a', 'npx', true],
  ['ionice -c 3 npx a', 'npx', true],
  ['setsid --wait npx a', 'npx', true],
  ['time -p npx a', 'npx', true],
  ['nice timeout 20 env A=b npx a', 'npx', true],
  ['nice pnpm dlx a', 'pnpm dlx', false],
  ['timeout 20 sh -c npx -y a', 'npx', false],
  ['env -S npx_-y_a', 'npx', true],
  ['env -vS npx_-y_a', 'npx', false],
  ['env --split-string=A=b_npx_-y a', 'npx', true],
  ['env -Snpx_-y a', 'npx', true],
  ['env -S "npx"_-y a', 'npx', false],
  ['env -iS npx_-y a', 'npx', false],
  ['env -u HOME -S npx_-y a', 'npx', false],
  ['nice ./npx a', 'npx', false],
  ['xargs npx a', 'npx', false],
  ['sudo -u me /usr/bin/npx a', 'npx', false],
  ['strace -f npm exec a', 'npm exec', false],
  ['flock /tmp/x bunx a', 'bunx', false],
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
  ...[
    'npm run exec',
    'npm start',
    'node server.js npx',
    'uvx a',
    'nice node a.js npx',
    'timeout 20 npm run exec',
    'docker run npx-like',
    'sh -c ./npx-like.sh',
    'env A=b node a.js',
  ],
  ...['bash -c echo npxa', 'python -m npx', 'pnpm run dlx', 'env', 'npm'],
])('%s is none', (line) => {
  expect(runnerOf(line)).toBeUndefined();
});
